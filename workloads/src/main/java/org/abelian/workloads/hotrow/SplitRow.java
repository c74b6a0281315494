package org.abelian.workloads.hotrow;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;

/**
 * The first row of a table, its counter split, until it is closed: then its slices may be folded.
 */
final class SplitRow implements AutoCloseable {
  private final JdbcPool pool;
  private final Connection guard;
  private final int slices;

  private SplitRow(JdbcPool pool, Connection guard, int slices) {
    this.pool = pool;
    this.guard = guard;
    this.slices = slices;
  }

  /**
   * Adds 1 in each of so many slices. Transactions share slices one after the other, so these are
   * all open at the same time.
   */
  static SplitRow split(Database database, String table, int slices) throws SQLException {
    try (JdbcPool pool = database.pool(slices)) {
      List<Connection> sessions = new ArrayList<>();
      try {
        for (int i = 0; i < slices; i++) {
          Connection session = pool.connection();
          sessions.add(session);
          session.setAutoCommit(false);
          execute(session, "SET abelian.split = always");
          execute(session, "UPDATE " + table + " SET n = n + 1 WHERE id = 1");
        }
        for (Connection session : sessions) {
          session.commit();
        }
        return guarded(database.pool(1), table, slices);
      } finally {
        sessions.forEach(pool::discard);
      }
    }
  }

  /** Plain reads pass a shared lock, the folding worker does not. */
  private static SplitRow guarded(JdbcPool pool, String table, int slices) throws SQLException {
    try {
      Connection guard = pool.connection();
      guard.setAutoCommit(false);
      execute(guard, "SELECT 1 FROM " + table + " WHERE id = 1 FOR SHARE");
      return new SplitRow(pool, guard, slices);
    } catch (SQLException e) {
      pool.close();
      throw e;
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** How many slices were made, each with 1 in it. */
  int slices() {
    return slices;
  }

  @Override
  public void close() {
    pool.discard(guard);
    pool.close();
  }
}
