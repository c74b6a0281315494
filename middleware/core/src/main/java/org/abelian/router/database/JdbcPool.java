package org.abelian.router.database;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Properties;

/**
 * Connections to one database, no more than a given number at a time. Nothing is opened before the
 * first is asked for. Whoever makes a pool closes it. What SET has changed in a session stays with
 * its connection, so those who need an unchanged one take a pool of their own. Safe for several
 * threads.
 */
public final class JdbcPool implements AutoCloseable {
  private static final int CONNECT_TIMEOUT_S = 10;
  private static final long BORROW_TIMEOUT_MS = 15_000;
  private static final long IDLE_TIMEOUT_MS = 60_000;

  /** The first attempt counts: a server that is away is told of, not waited for. */
  private static final long FIRST_CONNECTION_TIMEOUT_MS = 1;

  private static final String TOO_MANY_CONNECTIONS = "53300";

  private final HikariDataSource source = new HikariDataSource();

  /**
   * @param name for logs
   * @param url any JDBC URL whose driver is on the class path
   * @param properties of the driver; a URL may have others
   * @param most so many connections can be borrowed at a time
   */
  public JdbcPool(String name, String url, Properties properties, int most) {
    source.setPoolName(name);
    source.setJdbcUrl(url);
    source.setMaximumPoolSize(most);
    source.setMinimumIdle(0);
    source.setIdleTimeout(IDLE_TIMEOUT_MS);
    source.setConnectionTimeout(BORROW_TIMEOUT_MS);
    source.setInitializationFailTimeout(FIRST_CONNECTION_TIMEOUT_MS);
    source.setExceptionOverride(new LostConnections());
    source.addDataSourceProperty("connectTimeout", CONNECT_TIMEOUT_S);
    source.addDataSourceProperty("loginTimeout", CONNECT_TIMEOUT_S);
    properties.forEach((key, value) -> source.addDataSourceProperty("" + key, value));
  }

  /**
   * Lends a connection in autocommit mode; closing it gives it back, its transaction rolled back.
   *
   * @throws SQLException the server's own error when none can be opened; 53300 when all are lent
   */
  public Connection connection() throws SQLException {
    try {
      return source.getConnection();
    } catch (SQLTransientConnectionException none) {
      if (none.getCause() instanceof SQLException own) {
        throw own;
      }
      throw new SQLTransientConnectionException(none.getMessage(), TOO_MANY_CONNECTIONS, none);
    } catch (RuntimeException unusable) {
      if (unusable.getCause() instanceof SQLException own) {
        throw own; // No driver takes the URL.
      }
      throw unusable;
    }
  }

  /**
   * Ends a borrowed connection, which is broken or shall not be lent again. Another can be opened.
   */
  public void discard(Connection borrowed) {
    source.evictConnection(borrowed);
  }

  /** Closes all connections; those that are still lent are torn down. */
  @Override
  public void close() {
    source.close();
  }
}
