package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code abelian.returned_values} through the router holds on the nodes that a session reaches. */
@WithCluster
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReturnedValuesIT {
  private static final String LOCK_NOT_AVAILABLE = "55P03";
  private final RouterServer router;

  ReturnedValuesIT(RouterServer router) {
    this.router = router;
  }

  @BeforeEach
  void createTable() throws SQLException {
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS product");
      statement.execute(
          "CREATE TABLE product (id int PRIMARY KEY, stock abelian.bounded_counter(0))");
      statement.execute("SELECT create_distributed_table('product', 'id')");
      statement.execute("INSERT INTO product SELECT i, 10 FROM generate_series(1, 8) i");
    }
  }

  @Test
  void aSnapshotOfTheStockIsReturnedBesideOthersOnAllNodes() throws SQLException {
    try (Connection one = session("SET abelian.returned_values = snapshot");
        Connection other = session("SET abelian.returned_values = snapshot")) {
      assertEquals(8 * 8, take(one, 2));
      assertEquals(8 * 7, take(other, 3));
      one.commit();
      other.commit();
      assertEquals(8 * 4, take(other, 1));
      other.rollback();
    }
  }

  @Test
  void theExactStockIsHeld() throws SQLException {
    try (Connection one = session("SET abelian.returned_values = exact");
        Connection other = session("SET lock_timeout = '100ms'")) {
      assertEquals(8 * 8, take(one, 2));
      SQLException refused = assertThrows(SQLException.class, () -> take(other, 3));
      assertEquals(LOCK_NOT_AVAILABLE, refused.getSQLState());
      other.rollback();
      one.commit();
      assertEquals(8 * 5, take(other, 3));
      other.rollback();
    }
  }

  private Connection session(String setting) throws SQLException {
    Connection connection = router.connect();
    try (Statement statement = connection.createStatement()) {
      statement.execute(setting);
    }
    connection.setAutoCommit(false);
    return connection;
  }

  /** Takes so much of each product, and gives the sum of what is left as it is returned. */
  private static int take(Connection connection, int amount) throws SQLException {
    int left = 0;
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "UPDATE product SET stock = stock - " + amount + " RETURNING stock")) {
      while (rows.next()) {
        left += rows.getInt(1);
      }
    }
    return left;
  }
}
