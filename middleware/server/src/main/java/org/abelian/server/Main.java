package org.abelian.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.abelian.router.Router;
import org.abelian.router.RouterConfig;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.PoolLimits;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.tls.NodeTls;
import org.abelian.router.tls.ServerTls;
import org.abelian.router.tls.TlsException;
import org.abelian.router.trace.Tracer;
import org.abelian.server.conninfo.NodeOptions;
import org.abelian.server.hba.ClientRules;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The router as a server. */
@Command(
    name = "abelian-server",
    mixinStandardHelpOptions = true,
    description = "Abelian's router behind a PostgreSQL port.")
public final class Main implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(Main.class);
  private static final String DATABASE = "abelian";

  /** Where pgjdbc, which reads password files for us, looks for another than the usual one. */
  private static final String PASSWORD_FILE_PROPERTY = "org.postgresql.pgpassfile";

  @Option(
      names = "--listen",
      defaultValue = "127.0.0.1:6432",
      description =
          "host:port for clients (default: ${DEFAULT-VALUE}). Without --ssl, listen on trusted"
              + " networks only.")
  private String listen;

  @Option(
      names = "--nodes",
      description =
          "addresses of nodes, host:port,host:port; or a connection string or URI of libpq, with"
              + " sslmode and the like (default: the environment variables PGHOST, PGPORT,"
              + " PGSERVICE and so on, which also supply what is left out)")
  private String nodes;

  @Option(
      names = "--database",
      description =
          "database of control connections (default: that of --nodes, or " + DATABASE + ")")
  private String database;

  @Option(
      names = "--user",
      description =
          "role of control connections: a member of abelian_server and of the roles of the"
              + " clients, whose transactions it finishes when another router left them (default:"
              + " that of --nodes)")
  private String user;

  @Option(
      names = "--password-file",
      description =
          "file whose first line is that role's password (default: the password of --nodes, or"
              + " libpq's password file)")
  private Path passwordFile;

  @Mixin private ClientTlsOptions clientTls;

  @Mixin private TraceOptions trace;

  @Option(
      names = {"--hba-file", "--hba_file"},
      description =
          "rules by which clients are let in, like pg_hba.conf (default: anyone with a password)")
  private Path hbaFile;

  @Option(
      names = {"--ident-file", "--ident_file"},
      description = "maps from names in certificates to roles, like pg_ident.conf")
  private Path identFile;

  @Option(
      names = "--max-clients",
      defaultValue = "1000",
      description = "clients served at once; more get 53300 (default: ${DEFAULT-VALUE})")
  private int maxClients;

  @Option(
      names = "--connections-per-node",
      defaultValue = "90",
      description = "connections to one node, of all roles together (default: ${DEFAULT-VALUE})")
  private int connectionsPerNode;

  @Option(
      names = "--connection-wait",
      defaultValue = "10000",
      description = "milliseconds that a client waits for one of them (default: ${DEFAULT-VALUE})")
  private int connectionWait;

  @Option(
      names = "--recovery-courtesy",
      defaultValue = "3000",
      description =
          "milliseconds that recovery leaves alone what other routers may still be committing"
              + " (default: ${DEFAULT-VALUE})")
  private int recoveryCourtesy;

  @Option(
      names = "--memory",
      description =
          "megabytes that messages and rows of all clients may take (default: half of the heap)")
  private Integer memory;

  /** Starts the server; ends when the process is told to. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Main()).execute(arguments));
  }

  @Option(
      names = "--max-starting",
      defaultValue = "200",
      description =
          "connections whose clients have not proved yet who they are; of more, the oldest are"
              + " closed (default: ${DEFAULT-VALUE})")
  private int maxStarting;

  @Option(
      names = "--authentication-timeout",
      defaultValue = "60000",
      description = "milliseconds that a client has to prove who it is (default: ${DEFAULT-VALUE})")
  private int authenticationTimeout;

  @Option(
      names = "--client-check-interval",
      defaultValue = "1000",
      description =
          "milliseconds after which a client whose statement still runs is looked for; that of one"
              + " that is gone is cancelled (default: ${DEFAULT-VALUE})")
  private int clientCheckInterval;

  @Option(
      names = "--client-stall-timeout",
      defaultValue = "1800000",
      description =
          "milliseconds that a client may leave an answer unread before its session is ended; 0 for"
              + " ever (default: ${DEFAULT-VALUE})")
  private int clientStallTimeout;

  @Option(
      names = "--idle-connection-timeout",
      defaultValue = "300000",
      description =
          "milliseconds after which an unused connection to a node is closed (default:"
              + " ${DEFAULT-VALUE})")
  private int idleConnectionTimeout;

  private Main() {}

  private long memoryBytes() {
    return memory == null ? MemoryBudget.usualBytes() : (long) memory << 20;
  }

  @Override
  public Integer call() throws InterruptedException {
    try {
      return serve();
    } catch (NoSuchFileException e) {
      System.err.println("abelian-server: file \"" + e.getFile() + "\" does not exist");
      return 1;
    } catch (IOException | IllegalArgumentException e) {
      System.err.println("abelian-server: " + e.getMessage());
      return 1;
    }
  }

  private int serve() throws IOException, InterruptedException {
    NodeAddress address = NodeAddress.parse(listen);
    ServerTls tls = clientTls.open();
    ClientRules rules = ClientRules.open(hbaFile, identFile);
    if (tls == null && rules.mentionEncryption()) {
      LOG.warn("hostssl records cannot match because SSL is disabled");
    }
    CountDownLatch stopped = new CountDownLatch(1);
    RouterConfig config = config();
    try (Tracer tracer = trace.open();
        Router router = Router.open(config, tracer);
        RouterServer server =
            RouterServer.start(
                router,
                new InetSocketAddress(address.host(), address.port()),
                new ClientLimits(
                    maxClients,
                    maxStarting,
                    authenticationTimeout,
                    clientCheckInterval,
                    clientStallTimeout),
                tls,
                rules)) {
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    server.stop();
                    stopped.countDown();
                  },
                  "shutdown"));
      Hangup.handle(() -> reload(tls, rules));
      router.startTasks();
      System.out.println("listening on " + address.host() + ":" + server.port());
      stopped.await();
    }
    return 0;
  }

  private RouterConfig config() throws IOException {
    NodeOptions options = NodeOptions.of(nodes, System.getenv());
    String role = user == null ? options.user() : user;
    if (role == null) {
      throw new IllegalArgumentException("no role for control connections: name it by --user");
    }
    if (options.passwordFile() != null) {
      System.setProperty(PASSWORD_FILE_PROPERTY, options.passwordFile());
    }
    try (NodeTls files = new NodeTls(options.tls())) {
      files.check();
    }
    String named = database == null ? options.database() : database;
    return new RouterConfig(
        options.addresses(),
        named == null ? DATABASE : named,
        role,
        passwordFile == null ? options.password() : Files.readAllLines(passwordFile).get(0),
        options.tls(),
        new PoolLimits(connectionsPerNode, connectionWait, idleConnectionTimeout),
        Duration.ofMillis(recoveryCourtesy),
        memoryBytes());
  }

  private static void reload(ServerTls tls, ClientRules rules) {
    LOG.info("received SIGHUP, reading files again");
    rules.reload();
    if (tls != null) {
      try {
        tls.reload();
      } catch (TlsException e) {
        LOG.warn("TLS certificates not loaded again: {}", e.getMessage());
      }
    }
  }
}
