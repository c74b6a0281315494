package org.abelian.workloads.tpcc.run;

import java.sql.Connection;
import java.sql.SQLException;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.tpcc.transaction.Clock;
import org.abelian.workloads.tpcc.transaction.Profiles;
import org.abelian.workloads.tpcc.transaction.Statements;

/** A terminal's connection, opened again after it is lost. Not thread-safe. */
final class TerminalConnection implements AutoCloseable {
  private final Database database;
  private final Clock clock;
  private final boolean procedures;

  /**
   * Made anew for each connection: a pool that has met a server which is away waits longer and
   * longer before it tries again.
   */
  private JdbcPool pool;

  private Connection connection;
  private Profiles profiles;

  TerminalConnection(Database database, Clock clock, boolean procedures) {
    this.procedures = procedures;
    this.database = database;
    this.clock = clock;
  }

  /** The profiles on an open connection. */
  Profiles profiles() throws SQLException {
    if (connection == null) {
      pool = database.pool(1);
      try {
        connection = pool.connection();
        connection.setAutoCommit(false);
        profiles = new Profiles(new Statements(connection), clock, procedures);
      } catch (SQLException lostAtOnce) {
        close();
        throw lostAtOnce;
      }
    }
    return profiles;
  }

  void commit() throws SQLException {
    connection.commit();
  }

  /** Rolls back; a connection that cannot do even that is dropped. */
  void rollback() {
    if (connection == null) {
      return;
    }
    try {
      connection.rollback();
    } catch (SQLException e) {
      close();
    }
  }

  /** Drops the connection; the next use opens another. */
  @Override
  public void close() {
    if (pool == null) {
      return;
    }
    if (connection != null) {
      pool.discard(connection);
    }
    pool.close();
    pool = null;
    connection = null;
    profiles = null;
  }
}
