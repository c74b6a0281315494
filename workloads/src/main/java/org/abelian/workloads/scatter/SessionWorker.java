package org.abelian.workloads.scatter;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.abelian.workloads.database.SqlStates;
import org.abelian.workloads.measure.Worker;

/** A client with a connection, whose failures are counted by SQLSTATE. */
abstract class SessionWorker implements Worker {
  private final Connection connection;
  private final Map<String, Long> failures;
  private long failed;

  /**
   * @param block whether each time is a transaction block of its own
   * @param failures how often which SQLSTATE came, of several clients
   */
  SessionWorker(Connection connection, boolean block, Map<String, Long> failures)
      throws SQLException {
    this.connection = connection;
    this.failures = failures;
    connection.setAutoCommit(!block);
  }

  /** The work, without a COMMIT. */
  abstract void work() throws SQLException;

  @Override
  public final boolean once(long end) throws SQLException {
    try {
      work();
      if (!connection.getAutoCommit()) {
        connection.commit();
      }
      return true;
    } catch (SQLException error) {
      if (SqlStates.isConnectionLost(error)) {
        throw error;
      }
      failed++;
      failures.merge(SqlStates.stateOf(error), 1L, Long::sum);
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
      return false;
    }
  }

  @Override
  public final long failures() {
    return failed;
  }

  @Override
  public final void close() throws SQLException {
    connection.close();
  }
}
