package org.abelian.workloads.hotrow;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.abelian.workloads.database.Database;

/**
 * The first row of a table, its counter split, until it is closed: then its slices may be folded.
 */
final class SplitRow implements AutoCloseable {
  private final Connection guard;
  private final int slices;

  private SplitRow(Connection guard, int slices) {
    this.guard = guard;
    this.slices = slices;
  }

  /**
   * Adds 1 in each of so many slices. Sessions that are open at the same time have slices of their
   * own.
   */
  static SplitRow split(Database database, String table, int slices) throws SQLException {
    List<Connection> sessions = new ArrayList<>();
    try {
      for (int i = 0; i < slices; i++) {
        Connection session = database.connect();
        sessions.add(session);
        execute(session, "SET abelian.split = always");
        execute(session, "UPDATE " + table + " SET n = n + 1 WHERE id = 1");
      }
      return new SplitRow(guard(database, table), slices);
    } finally {
      for (Connection session : sessions) {
        session.close();
      }
    }
  }

  /** Plain reads pass a shared lock, the folding worker does not. */
  private static Connection guard(Database database, String table) throws SQLException {
    Connection guard = database.connect();
    try {
      guard.setAutoCommit(false);
      execute(guard, "SELECT 1 FROM " + table + " WHERE id = 1 FOR SHARE");
      return guard;
    } catch (SQLException e) {
      guard.close();
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
  public void close() throws SQLException {
    guard.close();
  }
}
