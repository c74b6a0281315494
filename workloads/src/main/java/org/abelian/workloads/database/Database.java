package org.abelian.workloads.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Properties;

/**
 * Address and credentials of one database, plain PostgreSQL or a cluster behind a router.
 *
 * @param url any JDBC URL whose driver is on the class path
 * @param user user name
 * @param password password, never printed
 */
public record Database(String url, String user, String password) {
  private static final int ROWS_PER_COMMIT = 1000;

  public Database {
    Objects.requireNonNull(url, "url");
    Objects.requireNonNull(user, "user");
    Objects.requireNonNull(password, "password");
  }

  /** The same database, with this schema as the only one on the search path. */
  public Database within(String schema) {
    String separator = url.contains("?") ? "&" : "?";
    return new Database(url + separator + "currentSchema=" + schema, user, password);
  }

  /** Opens a connection in autocommit mode. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(url, properties());
  }

  /**
   * Opens a connection whose batches of one-row INSERTs travel as multi-row INSERTs, which is what
   * a bulk load wants.
   */
  public Connection connectForLoading() throws SQLException {
    Properties properties = properties();
    properties.setProperty("reWriteBatchedInserts", "true");
    return DriverManager.getConnection(url, properties);
  }

  /** Executes statements, each by itself. */
  public void execute(String... statements) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** The values of one row of a bulk load. */
  @FunctionalInterface
  public interface Row {
    /**
     * @param number from 1
     */
    void set(PreparedStatement insert, int number) throws SQLException;
  }

  /**
   * Inserts so many rows.
   *
   * @param insert an INSERT with one parameter for each value
   */
  public void load(String insert, int rows, Row row) throws SQLException {
    try (Connection connection = connectForLoading();
        PreparedStatement statement = connection.prepareStatement(insert)) {
      connection.setAutoCommit(false);
      for (int number = 1; number <= rows; number++) {
        row.set(statement, number);
        statement.addBatch();
        if (number % ROWS_PER_COMMIT == 0 || number == rows) {
          statement.executeBatch();
          connection.commit();
        }
      }
    }
  }

  private Properties properties() {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    properties.setProperty("ApplicationName", "abelian-workloads");
    return properties;
  }

  @Override
  public String toString() {
    return url + " as " + user;
  }
}
