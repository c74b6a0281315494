package org.abelian.workloads.commit;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;

/** Through the router, as an application does: one call, or statement by statement. */
final class RouterClient implements Client {
  private final Connection connection;
  private final PreparedStatement work;
  private final boolean calls;

  RouterClient(Connection connection, Way way) throws SQLException {
    this.connection = connection;
    this.calls = way.form() == Way.Form.CALL;
    if (way.commitClass().equals("coordinated")) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET abelian.commit_class = 'coordinated'");
      }
    }
    connection.setAutoCommit(calls);
    work = connection.prepareStatement(calls ? way.body().call() : way.body().update("?"));
  }

  @Override
  public void run(Transfer transfer) throws SQLException {
    if (calls) {
      work.setInt(1, transfer.firstKey());
      work.setInt(2, transfer.secondKey());
      work.execute();
      return;
    }
    try {
      add(transfer.firstKey());
      add(transfer.secondKey());
      connection.commit();
    } catch (SQLException failed) {
      connection.rollback();
      throw failed;
    }
  }

  private void add(int key) throws SQLException {
    work.setInt(1, key);
    if (work.executeUpdate() != 1) {
      throw new SQLException("no row has key " + key, "P0002");
    }
  }

  /** What the router has told beside the results. */
  String warnings() throws SQLException {
    return texts(work.getWarnings()) + texts(connection.getWarnings());
  }

  private static String texts(SQLWarning first) {
    StringBuilder text = new StringBuilder();
    for (SQLWarning next = first; next != null; next = next.getNextWarning()) {
      text.append(next.getMessage()).append("; ");
    }
    return text.toString();
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
