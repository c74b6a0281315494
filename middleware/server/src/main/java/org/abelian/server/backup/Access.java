package org.abelian.server.backup;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import org.abelian.router.database.JdbcPool;
import org.abelian.router.pool.NodeAddress;

/**
 * As whom nodes are reached. What is not given comes from the environment variables of libpq, which
 * pg_dump and pg_restore read too, so that all connections are of one kind.
 *
 * @param user null for PGUSER, else the user of the system
 * @param database null for PGDATABASE, else the user
 * @param password null for PGPASSWORD, else the password file
 */
public record Access(String user, String database, String password) {
  private static final int CONNECT_SECONDS = 10;
  private static final String APPLICATION = "abelian backup";

  /** Variables of libpq, and what pgjdbc calls them. */
  private static final Map<String, String> TLS =
      Map.of(
          "PGSSLMODE", "sslmode",
          "PGSSLROOTCERT", "sslrootcert",
          "PGSSLCERT", "sslcert",
          "PGSSLKEY", "sslkey");

  /** Takes what is null from the environment. */
  public Access {
    user = user != null ? user : environment("PGUSER", System.getProperty("user.name"));
    database = database != null ? database : environment("PGDATABASE", user);
    password = password != null ? password : System.getenv("PGPASSWORD");
  }

  private static String environment(String name, String otherwise) {
    String value = System.getenv(name);
    return value == null || value.isEmpty() ? otherwise : value;
  }

  /** The same as to another database. */
  Access to(String other) {
    return new Access(user, other, password);
  }

  /**
   * One connection, for whoever closes the pool.
   *
   * @param settings for the session, as {@code -c name=value ...}
   * @param answerSeconds how long a statement may take; 0 for ever
   */
  JdbcPool pool(NodeAddress node, String settings, int answerSeconds) {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    if (password != null) {
      properties.setProperty("password", password);
    }
    properties.setProperty("connectTimeout", "" + CONNECT_SECONDS);
    properties.setProperty("loginTimeout", "" + CONNECT_SECONDS);
    properties.setProperty("socketTimeout", "" + answerSeconds);
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty("ApplicationName", APPLICATION);
    properties.setProperty("preferQueryMode", "simple");
    properties.setProperty("options", settings);
    TLS.forEach(
        (variable, property) -> {
          String value = environment(variable, null);
          if (value != null) {
            properties.setProperty(property, value);
          }
        });
    String host = node.host().indexOf(':') < 0 ? node.host() : "[" + node.host() + "]";
    return new JdbcPool(
        APPLICATION,
        "jdbc:postgresql://"
            + host
            + ":"
            + node.port()
            + "/"
            + URLEncoder.encode(database, StandardCharsets.UTF_8),
        properties,
        1);
  }

  /** Tells a program of PostgreSQL's where to connect. */
  void tell(Map<String, String> environment, NodeAddress node) {
    environment.put("PGHOST", node.host());
    environment.put("PGPORT", "" + node.port());
    environment.put("PGUSER", user);
    environment.put("PGDATABASE", database);
    environment.put("PGCONNECT_TIMEOUT", "" + CONNECT_SECONDS);
    if (password != null) {
      environment.put("PGPASSWORD", password);
    }
    // A reader that keeps what it has read from changing would stop writers for as long as it runs.
    environment.put("PGOPTIONS", "-c abelian.strict_reads=off");
  }

  @Override
  public String toString() {
    return database + " as " + user;
  }
}
