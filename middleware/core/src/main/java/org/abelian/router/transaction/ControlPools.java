package org.abelian.router.transaction;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.abelian.router.catalog.Node;
import org.abelian.router.tls.NodeTls;

/**
 * Control connections to the nodes, a small pool for each address, made when first asked for. Every
 * wait is bounded: for a connection, for an answer, and on the node itself. Safe for several
 * threads.
 */
public final class ControlPools implements AutoCloseable {
  private static final int CONNECTIONS_MAX = 4;
  private static final int CONNECT_TIMEOUT_S = 2;
  private static final long BORROW_TIMEOUT_MS = 2_500;
  private static final long IDLE_TIMEOUT_MS = 60_000;
  private static final int ANSWER_TIMEOUT_S = 3;

  /** The decisions that these connections write are acted upon at once, so they must be on disk. */
  private static final String SETTINGS =
      "-c statement_timeout=2000 -c synchronous_commit=on -c search_path=pg_catalog"
          + " -c default_transaction_isolation=read\\ committed";

  private static final String STARTING_UP = "57P03";

  private record Address(String host, int port) {}

  private final Map<Address, HikariDataSource> pools = new ConcurrentHashMap<>();
  private final String database;
  private final String user;
  private final String password;
  private final NodeTls tls;

  /**
   * @param user must be the user of all sessions, or a member of their roles, or a superuser, to
   *     finish other routers' prepared transactions
   * @param password null to look it up in the password file, as libpq does
   * @param tls how connections are encrypted
   */
  public ControlPools(String database, String user, String password, NodeTls tls) {
    this.database = database;
    this.user = user;
    this.password = password;
    this.tls = tls;
  }

  /** A connection in autocommit mode, to be closed soon. */
  public Connection connection(Node node) throws SQLException {
    Address address = new Address(node.host(), node.port());
    HikariDataSource pool = pools.computeIfAbsent(address, this::open);
    try {
      return pool.getConnection();
    } catch (SQLTransientConnectionException none) {
      if (isAway(none) && pools.remove(address, pool)) {
        pool.close(); // It would try later and later, also when the node is back.
      }
      throw none;
    }
  }

  /** False when all connections are only lent, or the node has enough of them. */
  private static boolean isAway(SQLException none) {
    return none.getCause() instanceof SQLException refused
        && refused.getSQLState() != null
        && (refused.getSQLState().startsWith("08") || refused.getSQLState().equals(STARTING_UP));
  }

  private HikariDataSource open(Address address) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("abelian-control-" + address.host() + ":" + address.port());
    config.setJdbcUrl(
        "jdbc:postgresql://" + address.host() + ":" + address.port() + "/" + database);
    config.setUsername(user);
    config.setPassword(password);
    config.setMaximumPoolSize(CONNECTIONS_MAX);
    config.setMinimumIdle(0);
    config.setIdleTimeout(IDLE_TIMEOUT_MS);
    config.setConnectionTimeout(BORROW_TIMEOUT_MS);
    config.setInitializationFailTimeout(-1);
    config.addDataSourceProperty("connectTimeout", CONNECT_TIMEOUT_S);
    config.addDataSourceProperty("socketTimeout", ANSWER_TIMEOUT_S);
    config.addDataSourceProperty("tcpKeepAlive", true);
    config.addDataSourceProperty("ApplicationName", "abelian router");
    config.addDataSourceProperty("options", SETTINGS);
    tls.pgjdbcProperties().forEach(config::addDataSourceProperty);
    return new HikariDataSource(config);
  }

  @Override
  public void close() {
    pools.values().forEach(HikariDataSource::close);
    pools.clear();
  }
}
