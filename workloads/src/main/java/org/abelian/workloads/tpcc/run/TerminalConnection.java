package org.abelian.workloads.tpcc.run;

import java.sql.Connection;
import java.sql.SQLException;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.tpcc.transaction.Clock;
import org.abelian.workloads.tpcc.transaction.Profiles;
import org.abelian.workloads.tpcc.transaction.Statements;

/** A terminal's connection, opened again after it is lost. Not thread-safe. */
final class TerminalConnection implements AutoCloseable {
  private final JdbcPool pool;
  private final Clock clock;
  private final boolean procedures;
  private Connection connection;
  private Profiles profiles;

  TerminalConnection(JdbcPool pool, Clock clock, boolean procedures) {
    this.procedures = procedures;
    this.pool = pool;
    this.clock = clock;
  }

  /** The profiles on an open connection. */
  Profiles profiles() throws SQLException {
    if (connection == null) {
      connection = pool.connection();
      try {
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
    if (connection == null) {
      return;
    }
    pool.discard(connection);
    connection = null;
    profiles = null;
  }
}
