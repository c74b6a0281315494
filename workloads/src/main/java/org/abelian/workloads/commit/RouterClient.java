package org.abelian.workloads.commit;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** Statement by statement through the router, as an application does. */
final class RouterClient implements Client {
  private final Connection connection;
  private final PreparedStatement add;

  RouterClient(Connection connection, Way way) throws SQLException {
    this.connection = connection;
    try (Statement statement = connection.createStatement()) {
      String wanted = way == Way.ROUTER_COORDINATED ? "coordinated" : "auto";
      statement.execute("SET abelian.commit_class = '" + wanted + "'");
    }
    connection.setAutoCommit(false);
    add = connection.prepareStatement(NodeClient.update(way));
  }

  @Override
  public void run(Transfer transfer) throws SQLException {
    add(transfer.firstKey());
    add(transfer.secondKey());
    connection.commit();
  }

  private void add(int key) throws SQLException {
    add.setInt(1, key);
    if (add.executeUpdate() != 1) {
      throw new SQLException("no row has key " + key, "P0002");
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
