package org.abelian.advisor.trace.log;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.cluster.OneConnection;
import org.abelian.router.database.JdbcPool;

/**
 * A database of its own on a server that has the extensions, with the user's schema and no rows. It
 * is dropped in the end.
 */
final class ScratchDatabase implements AutoCloseable {
  private final String url;
  private final String name;
  private final JdbcPool pool;
  private final Connection connection;

  /** An interrupted program leaves no database behind. */
  private final Thread atExit = new Thread(this::dropQuietly);

  private ScratchDatabase(String url, String name, JdbcPool pool) throws SQLException {
    this.url = url;
    this.name = name;
    this.pool = pool;
    this.connection = pool.connection();
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /**
   * Makes one.
   *
   * @param url of a database on the server, as a role that may create databases
   * @param schema the tables
   * @param notes told of statements that could not be run
   */
  static ScratchDatabase create(String url, Definitions schema, List<String> notes)
      throws SQLException {
    String name = "advise_" + ProcessHandle.current().pid() + "_" + System.nanoTime() % 1_000_000;
    try (Connection server = onServer(url);
        Statement statement = server.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    }
    JdbcPool pool = OneConnection.to(withDatabase(url, name));
    try {
      ScratchDatabase scratch = new ScratchDatabase(url, name, pool);
      scratch.load(schema, notes);
      return scratch;
    } catch (SQLException | RuntimeException e) {
      pool.close();
      drop(url, name);
      throw e;
    }
  }

  Connection connection() {
    return connection;
  }

  /** No pool: it makes or drops a database and is closed, also while the program is ending. */
  private static Connection onServer(String url) throws SQLException {
    return DriverManager.getConnection(url);
  }

  private void load(Definitions schema, List<String> notes) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE EXTENSION IF NOT EXISTS abelian_cluster CASCADE");
      for (String sql : schema.statements()) {
        try {
          statement.execute(sql);
        } catch (SQLException e) {
          refused(sql, e, schema.complete(), notes);
        }
      }
      statement.execute("RESET ALL");
    }
  }

  /** Owners and privileges that the server does not know change nothing; a lost table does. */
  private static void refused(String sql, SQLException e, boolean complete, List<String> notes) {
    String first = sql.replaceAll("(?s)--[^\\n]*\\n|/\\*.*?\\*/", "").strip();
    if (complete && first.toUpperCase(Locale.ROOT).startsWith("CREATE TABLE")) {
      throw new AdvisorException(
          "the schema cannot be loaded: " + e.getMessage() + "\nin: " + shortened(first), e);
    }
    if (notes.size() < 20
        && !first.matches("(?is)(GRANT|REVOKE|COMMENT|ALTER .* OWNER TO|SET|SELECT) ?.*")) {
      notes.add("of the schema was left out: " + shortened(first) + ": " + e.getMessage());
    }
  }

  private static String shortened(String sql) {
    String line = sql.replaceAll("\\s+", " ");
    return line.length() > 80 ? line.substring(0, 80) + "..." : line;
  }

  /** The same URL with another database. */
  private static String withDatabase(String url, String name) {
    int parameters = url.indexOf('?');
    String address = parameters < 0 ? url : url.substring(0, parameters);
    int slash = address.lastIndexOf('/');
    if (slash < "jdbc:postgresql://".length()) {
      throw new AdvisorException(
          "a URL of the form jdbc:postgresql://host:port/database is needed");
    }
    return address.substring(0, slash + 1)
        + name
        + (parameters < 0 ? "" : url.substring(parameters));
  }

  @Override
  public void close() throws SQLException {
    connection.close();
    pool.close();
    drop(url, name);
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException alreadyExiting) {
      // The hook finds nothing to do.
    }
  }

  private void dropQuietly() {
    try {
      drop(url, name);
    } catch (SQLException e) {
      System.err.println("database " + name + " is left behind: " + e.getMessage());
    }
  }

  private static void drop(String url, String name) throws SQLException {
    try (Connection server = onServer(url);
        Statement statement = server.createStatement()) {
      statement.execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    }
  }
}
