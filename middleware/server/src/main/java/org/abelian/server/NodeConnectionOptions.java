package org.abelian.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.abelian.router.RouterConfig;
import org.abelian.router.pool.PoolLimits;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.tls.NodeTls;
import org.abelian.server.conninfo.NodeOptions;
import picocli.CommandLine.Option;

/** Where the nodes are, and how the router is connected to them. */
final class NodeConnectionOptions {
  private static final String DATABASE = "abelian";

  /** Where pgjdbc, which reads password files for us, looks for another than the usual one. */
  private static final String PASSWORD_FILE_PROPERTY = "org.postgresql.pgpassfile";

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
      names = "--idle-connection-timeout",
      defaultValue = "300000",
      description =
          "milliseconds after which an unused connection to a node is closed (default:"
              + " ${DEFAULT-VALUE})")
  private int idleConnectionTimeout;

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

  /**
   * What the router is started with.
   *
   * @throws IOException when a file cannot be used
   * @throws IllegalArgumentException when an option is missing or out of range
   */
  RouterConfig config() throws IOException {
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
        memory == null ? MemoryBudget.usualBytes() : (long) memory << 20);
  }
}
