package org.abelian.workloads.pgbench;

import java.net.URI;
import org.abelian.workloads.database.Database;

/** A PostgreSQL server as libpq's programs want it named. */
public record Server(String host, int port, String database, String user, String password) {
  private static final String JDBC = "jdbc:";

  /**
   * @throws IllegalArgumentException when the URL is not {@code
   *     jdbc:postgresql://host:port/database}
   */
  public static Server of(Database database) {
    if (!database.url().startsWith("jdbc:postgresql://")) {
      throw new IllegalArgumentException(
          "pgbench measures one server of PostgreSQL's protocol: " + database);
    }
    URI uri = URI.create(database.url().substring(JDBC.length()));
    return new Server(
        uri.getHost(),
        uri.getPort(),
        uri.getPath().substring(1),
        database.user(),
        database.password());
  }
}
