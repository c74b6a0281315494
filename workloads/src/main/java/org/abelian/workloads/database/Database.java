package org.abelian.workloads.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
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
  public Database {
    Objects.requireNonNull(url, "url");
    Objects.requireNonNull(user, "user");
    Objects.requireNonNull(password, "password");
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
