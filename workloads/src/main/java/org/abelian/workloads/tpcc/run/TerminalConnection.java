package org.abelian.workloads.tpcc.run;

import java.sql.Connection;
import java.sql.SQLException;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.tpcc.transaction.Clock;
import org.abelian.workloads.tpcc.transaction.Profiles;
import org.abelian.workloads.tpcc.transaction.Statements;

/** A terminal's connection, opened again after it is lost. Not thread-safe. */
final class TerminalConnection implements AutoCloseable {
  private final Database database;
  private final Clock clock;
  private final boolean procedures;
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
      Connection opened = database.connect();
      opened.setAutoCommit(false);
      connection = opened;
      profiles = new Profiles(new Statements(opened), clock, procedures);
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
    try {
      connection.close();
    } catch (SQLException e) {
      // It is dropped in any case, and the error that made it useless has been reported.
    } finally {
      connection = null;
      profiles = null;
    }
  }
}
