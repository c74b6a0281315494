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
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.session.Router;
import org.abelian.router.session.RouterConfig;
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
  public Integer call() throws IOException, InterruptedException {
    NodeAddress address = NodeAddress.parse(listen);
    String password = passwordFile == null ? null : Files.readAllLines(passwordFile).get(0);
    RouterConfig config =
        new RouterConfig(
            nodes.stream().map(NodeAddress::parse).toList(),
            database,
            user,
            password,
            new PoolLimits(connectionsPerNode, connectionWait, idleConnectionTimeout),
            Duration.ofMillis(recoveryCourtesy),
            memoryBytes());
    CountDownLatch stopped = new CountDownLatch(1);
    try (Router router = Router.open(config);
        RouterServer server =
            RouterServer.start(
                router,
                new InetSocketAddress(address.host(), address.port()),
                new ClientLimits(
                    maxClients,
                    maxStarting,
                    authenticationTimeout,
                    clientCheckInterval,
                    clientStallTimeout))) {
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    server.stop();
                    stopped.countDown();
                  },
                  "shutdown"));
      router.startDuties();
      System.out.println("listening on " + address.host() + ":" + server.port());
      stopped.await();
    }
    return 0;
  }
}
