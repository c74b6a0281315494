package org.abelian.workloads.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Properties;
import org.abelian.router.database.JdbcPool;

/**
 * Address and credentials of one database, plain PostgreSQL or a cluster behind a router.
 *
 * @param url any JDBC URL whose driver is on the class path
 * @param user user name
 * @param password password, never printed
 */
public record Database(String url, String user, String password) {
  private static final int ROWS_PER_COMMIT = 1000;
  private static final String APPLICATION = "abelian-workloads";

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

  /**
   * Connections to it, opened when they are asked for.
   *
   * @param clients so many can have one at a time
   */
  public JdbcPool pool(int clients) {
    return new JdbcPool(APPLICATION, url, properties(), clients);
  }

  /**
   * Connections whose batches of one-row INSERTs travel as multi-row INSERTs, which is what a bulk
   * load wants.
   *
   * @param clients so many can have one at a time
   */
  public JdbcPool poolForLoading(int clients) {
    Properties properties = properties();
    properties.setProperty("reWriteBatchedInserts", "true");
    return new JdbcPool(APPLICATION, url, properties, clients);
  }

  /** Executes statements, each by itself. */
  public void execute(String... statements) throws SQLException {
    try (JdbcPool pool = pool(1);
        Connection connection = pool.connection();
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
    try (JdbcPool pool = poolForLoading(1);
        Connection connection = pool.connection();
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
    properties.setProperty("ApplicationName", APPLICATION);
    return properties;
  }

  @Override
  public String toString() {
    return url + " as " + user;
  }
}
