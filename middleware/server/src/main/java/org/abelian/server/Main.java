package org.abelian.server;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.abelian.router.Router;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.tls.ServerTls;
import org.abelian.router.tls.TlsException;
import org.abelian.router.trace.Tracer;
import org.abelian.server.config.ConfigFile;
import org.abelian.server.hba.ClientRules;
import org.abelian.server.metrics.MetricsServer;
import org.abelian.server.metrics.RouterMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** The router as a server. */
@Command(
    name = "abelian-server",
    mixinStandardHelpOptions = true,
    versionProvider = ServerVersion.class,
    description = "Abelian's router behind a PostgreSQL port.")
public final class Main implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(Main.class);

  @Option(
      names = "--listen",
      defaultValue = "127.0.0.1:6432",
      description =
          "host:port for clients (default: ${DEFAULT-VALUE}). Without --ssl, listen on trusted"
              + " networks only.")
  private String listen;

  @Option(
      names = {"--config-file", "--config_file"},
      description =
          "file with these settings, like postgresql.conf; the command line comes first (default:"
              + " none)")
  private Path configFile;

  @Option(
      names = "--check-config",
      description = "reads all files, says whether the server could be started with them, and ends")
  private boolean checkConfig;

  @Option(
      names = "--metrics-listen",
      description =
          "host:port of /metrics and /health, over HTTP; anyone who reaches it may read them"
              + " (default: none)")
  private String metricsListen;

  @Mixin private NodeConnectionOptions nodes;

  @Mixin private LimitOptions limits;

  @Mixin private ClientTlsOptions clientTls;

  @Mixin private TraceOptions trace;

  @Mixin private LogOptions log;

  @Option(
      names = {"--hba-file", "--hba_file"},
      description =
          "rules by which clients are let in, like pg_hba.conf (default: anyone with a password)")
  private Path hbaFile;

  @Option(
      names = {"--ident-file", "--ident_file"},
      description = "maps from names in certificates to roles, like pg_ident.conf")
  private Path identFile;

  /** What the command line says of a configuration file, which the other options need first. */
  @Command
  private static final class ConfigArgument {
    @Option(names = {"--config-file", "--config_file"})
    private Path file;

    @Unmatched private List<String> others;
  }

  @Spec private CommandSpec settings;

  private final String[] arguments;

  private Main(String[] arguments) {
    this.arguments = arguments;
  }

  /** Starts the server; ends when the process is told to. */
  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  private static int run(String[] arguments) {
    try {
      return commandLine(arguments).execute(arguments);
    } catch (IOException e) {
      return refuse(e);
    }
  }

  private static int refuse(Exception e) {
    String why =
        e instanceof NoSuchFileException missing
            ? "file \"" + missing.getFile() + "\" does not exist"
            : e.getMessage();
    System.err.println("abelian-server: " + why);
    return 1;
  }

  /** Reads the arguments, and for what they do not say the file that they name. */
  static CommandLine commandLine(String[] arguments) throws IOException {
    CommandLine line =
        new CommandLine(new Main(arguments)).setCaseInsensitiveEnumValuesAllowed(true);
    ConfigArgument named = new ConfigArgument();
    try {
      new CommandLine(named).parseArgs(arguments);
    } catch (ParameterException e) {
      return line; // It says so itself.
    }
    if (named.file != null) {
      ConfigFile file = ConfigFile.read(named.file);
      file.check(line.getCommandSpec());
      line.setDefaultValueProvider(file);
    }
    return line;
  }

  @Override
  public Integer call() throws InterruptedException {
    try {
      return checkConfig ? check() : serve();
    } catch (IOException | IllegalArgumentException e) {
      return refuse(e);
    }
  }

  private int check() throws IOException {
    address(listen);
    if (metricsListen != null) {
      address(metricsListen);
    }
    nodes.config();
    limits.limits();
    clientTls.open();
    ClientRules.open(hbaFile, identFile);
    System.out.println("the configuration is valid");
    return 0;
  }

  private static InetSocketAddress address(String text) {
    NodeAddress address = NodeAddress.parse(text);
    return new InetSocketAddress(address.host(), address.port());
  }

  private int serve() throws IOException, InterruptedException {
    log.apply();
    ServerTls tls = clientTls.open();
    ClientRules rules = ClientRules.open(hbaFile, identFile);
    if (tls == null && rules.mentionEncryption()) {
      LOG.warn("hostssl records cannot match because SSL is disabled");
    }
    try (Tracer tracer = trace.open();
        Router router = Router.open(nodes.config(), tracer);
        RouterMetrics metrics = metricsListen == null ? null : new RouterMetrics(router);
        RouterServer server =
            RouterServer.start(
                router,
                address(listen),
                limits.limits(),
                tls,
                rules,
                metrics == null ? nanos -> {} : metrics::answered);
        MetricsServer watched = watch(metrics, server)) {
      CountDownLatch stopped = new CountDownLatch(1);
      Thread shutdown =
          new Thread(
              () -> {
                server.stop();
                stopped.countDown();
              },
              "shutdown");
      Runtime.getRuntime().addShutdownHook(shutdown);
      Hangup.handle(() -> reload(server, tls, rules));
      router.startTasks();
      if (watched != null) {
        LOG.info("metrics on port {}", watched.port());
      }
      System.out.println("listening on " + NodeAddress.parse(listen).host() + ":" + server.port());
      stopped.await();
    }
    return 0;
  }

  private MetricsServer watch(RouterMetrics metrics, RouterServer server) throws IOException {
    return metrics == null
        ? null
        : MetricsServer.start(address(metricsListen), metrics::scrape, server::isServing);
  }

  private void reload(RouterServer server, ServerTls tls, ClientRules rules) {
    LOG.info("received SIGHUP, reading files again");
    readSettings(server);
    rules.reload();
    if (tls != null) {
      try {
        tls.reload();
      } catch (TlsException e) {
        LOG.warn("TLS certificates not loaded again: {}", e.getMessage());
      }
    }
  }

  /** Of the settings that have changed, bounds for clients take effect. */
  private void readSettings(RouterServer server) {
    try {
      CommandLine line = commandLine(arguments);
      line.parseArgs(arguments);
      Main now = line.getCommand();
      server.limits(now.limits.limits());
      for (OptionSpec option : now.settings.options()) {
        OptionSpec before = settings.findOption(option.longestName());
        if (!isLimit(option) && !Objects.equals(before.getValue(), option.getValue())) {
          LOG.warn(
              "parameter \"{}\" cannot be changed without restarting the server",
              option.longestName().substring(2));
        }
      }
    } catch (IOException | ParameterException | IllegalArgumentException e) {
      LOG.warn("settings not read again, those before are kept: {}", e.getMessage());
    }
  }

  private static boolean isLimit(OptionSpec option) {
    return option.userObject() instanceof Field field
        && field.getDeclaringClass() == LimitOptions.class;
  }
}
