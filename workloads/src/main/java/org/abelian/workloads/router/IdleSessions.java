package org.abelian.workloads.router;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;

/** Sessions that have each run a statement, and do nothing since. */
final class IdleSessions implements AutoCloseable {
  private final Database database;
  private final int count;
  private final int[] keys;
  private JdbcPool pool;

  /**
   * None is open yet.
   *
   * @param keys of existing rows, of which each session reads one
   */
  IdleSessions(Database database, int count, int[] keys) {
    this.database = database;
    this.count = count;
    this.keys = keys.clone();
  }

  /** Opens them, unless they are open. */
  void open() throws SQLException {
    if (pool != null) {
      return;
    }
    pool = database.pool(count);
    for (int i = 0; i < count; i++) {
      Connection connection = pool.connection(); // Closed with the pool.
      try (PreparedStatement statement = connection.prepareStatement(Operation.SELECT.sql())) {
        Operation.SELECT.execute(statement, keys[i % keys.length]);
      }
    }
  }

  @Override
  public void close() {
    if (pool != null) {
      pool.close();
      pool = null;
    }
  }
}
