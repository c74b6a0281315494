package org.abelian.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.PoolLimits;
import org.abelian.router.Router;
import org.abelian.router.RouterConfig;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The router as a server. */
@Command(
    name = "abelian-server",
    mixinStandardHelpOptions = true,
    description = "Abelian's router behind a PostgreSQL port.")
public final class Main implements Callable<Integer> {
  @Option(
      names = "--listen",
      defaultValue = "127.0.0.1:6432",
      description =
          "host:port for clients (default: ${DEFAULT-VALUE}). There is no encryption: listen on"
              + " trusted networks only.")
  private String listen;

  @Option(
      names = "--nodes",
      required = true,
      split = ",",
      description = "addresses of nodes, host:port,host:port")
  private List<String> nodes;

  @Option(
      names = "--database",
      defaultValue = "abelian",
      description = "database of control connections")
  private String database;

  @Option(
      names = "--user",
      required = true,
      description =
          "role of control connections: a member of abelian_server and of the roles of the"
              + " clients, whose transactions it finishes when another router left them")
  private String user;

  @Option(names = "--password-file", description = "file whose first line is that role's password")
  private Path passwordFile;

  @Option(
      names = "--max-clients",
      defaultValue = "1000",
      description = "clients served at once; more get 53300 (default: ${DEFAULT-VALUE})")
  private int maxClients;

  @Option(
      names = "--connections-per-node",
      defaultValue = "90",
      description =
          "connections to one node for one role and set of start-up parameters (default:"
              + " ${DEFAULT-VALUE})")
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

  private Main() {}

  /** Starts the server; ends when the process is told to. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Main()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    NodeAddress address = NodeAddress.parse(listen);
    String password = passwordFile == null ? null : Files.readAllLines(passwordFile).get(0);
    RouterConfig config =
        new RouterConfig(
            nodes.stream().map(NodeAddress::parse).toList(),
            database,
            user,
            password,
            new PoolLimits(connectionsPerNode, connectionWait),
            Duration.ofMillis(recoveryCourtesy));
    CountDownLatch stopped = new CountDownLatch(1);
    try (Router router = Router.open(config);
        RouterServer server =
            RouterServer.start(
                router, new InetSocketAddress(address.host(), address.port()), maxClients)) {
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    server.stop();
                    stopped.countDown();
                  },
                  "shutdown"));
      router.startTasks();
      System.out.println("listening on " + address.host() + ":" + server.port());
      stopped.await();
    }
    return 0;
  }
}
