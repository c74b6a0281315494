package org.abelian.harness;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One PostgreSQL node with the extension, on its own port of 127.0.0.1. Closing removes it with its
 * data.
 */
public final class LocalNode implements AutoCloseable {
  /** The database that {@code scripts/node create} makes. */
  public static final String DATABASE = "abelian";

  /** An ordinary user, who owns what tests create; the password equals the name. */
  public static final String USER = "app";

  /** The role of router servers' own connections; the password equals the name. */
  public static final String ROUTER = "router";

  /** A superuser; the password equals the name. */
  public static final String SUPERUSER = "abelian";

  /**
   * Tests kill servers, not machines: what a server has written, the operating system still has. So
   * nothing needs to wait for the disk. A test that does may say otherwise; the later setting
   * counts.
   */
  private static final String SURVIVES_KILLS = "fsync=off";

  private final String version;
  private final String name;
  private final int port;
  private boolean closed;

  private LocalNode(String version, String name, int port) {
    this.version = version;
    this.name = name;
    this.port = port;
  }

  /** Creates and starts a node with the defaults of {@code scripts/node}. */
  public static LocalNode create() {
    return create(Map.of());
  }

  /** Creates and starts a node with extra configuration parameters. */
  public static LocalNode create(Map<String, String> settings) {
    return create(NodeVersions.of(0), settings);
  }

  /** Same, of a version of PostgreSQL. */
  static LocalNode create(String version, Map<String, String> settings) {
    Resources.prepare();
    LocalNode node = new LocalNode(version, OwnedName.next(), Ports.reserve());
    // Known before it exists, so that it is also removed if this process ends meanwhile.
    Resources.opened(node);
    List<String> command = new ArrayList<>(List.of("create", node.name, "" + node.port));
    command.add(SURVIVES_KILLS);
    settings.forEach((key, value) -> command.add(key + "=" + value));
    try {
      NodeScript.run(node.version, command);
    } catch (HarnessException e) {
      // The script has removed what it had begun.
      node.closed = true;
      Resources.closed(node);
      throw e;
    }
    return node;
  }

  public String name() {
    return name;
  }

  public int port() {
    return port;
  }

  /** {@code host:port}, as the router's node lists want it. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  /** URL for the stock PostgreSQL driver, without user and password. */
  public String jdbcUrl() {
    return "jdbc:postgresql://" + address() + "/" + DATABASE;
  }

  /** Opens a connection as the ordinary user. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(jdbcUrl(), USER, USER);
  }

  /** Opens a connection as the superuser. */
  public Connection connectAsSuperuser() throws SQLException {
    return DriverManager.getConnection(jdbcUrl(), SUPERUSER, SUPERUSER);
  }

  private String script(String command) {
    return NodeScript.run(version, List.of(command, name));
  }

  /** Starts the node after {@link #stop} or {@link #kill}; returns when it accepts connections. */
  public void start() {
    script("start");
  }

  /** Orderly shutdown that ends open sessions (PostgreSQL's fast mode). */
  public void stop() {
    script("stop");
  }

  /** SIGKILL to the postmaster and all its children: a crash, with recovery at the next start. */
  public void kill() {
    script("kill");
  }

  public Path dataDirectory() {
    return Path.of(script("data").trim());
  }

  /** Copies files into the data folder, readable by the server alone. */
  public void put(List<Path> files) {
    List<String> command = new ArrayList<>(List.of("put", name));
    files.forEach(file -> command.add(file.toString()));
    NodeScript.run(version, command);
  }

  /** The server's log so far. */
  public String log() {
    return script("log");
  }

  /** The folder with psql, pgbench, pg_dump and the rest of this clone's PostgreSQL. */
  public static Path binDirectory() {
    return Path.of(NodeScript.run("bindir").trim());
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    script("drop");
    Resources.closed(this);
  }

  @Override
  public String toString() {
    return name + " on port " + port;
  }
}
