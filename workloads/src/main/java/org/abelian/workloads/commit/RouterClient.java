package org.abelian.workloads.commit;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import org.abelian.workloads.pair.CommitNotice;
import org.abelian.workloads.pair.Pair;

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
    work =
        connection.prepareStatement(calls ? way.body().procedure().call() : way.body().update("?"));
  }

  @Override
  public void run(Pair pair) throws SQLException {
    if (calls) {
      work.setInt(1, pair.firstKey());
      work.setInt(2, pair.secondKey());
      work.execute();
      return;
    }
    try {
      add(pair.firstKey());
      add(pair.secondKey());
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

  /** The last transaction has taken the class of the way. */
  void requireClass(Way way) throws SQLException {
    CommitNotice.require(way.commitClass(), way, work);
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
