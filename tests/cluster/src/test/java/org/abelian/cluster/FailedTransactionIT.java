package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A transaction that has failed holds no locks until its ROLLBACK, as in one PostgreSQL: neither on
 * nodes that had no part in the error, nor when the router itself refused a statement.
 */
@WithCluster
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedTransactionIT {
  private static final String ADD = "UPDATE held SET n = n + 1";
  private final RouterServer router;

  FailedTransactionIT(RouterServer router) {
    this.router = router;
  }

  @BeforeEach
  void createTable() throws SQLException {
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS held");
      statement.execute("CREATE TABLE held (id int PRIMARY KEY, n int)");
      statement.execute("SELECT create_distributed_table('held', 'id')");
      statement.execute(
          "INSERT INTO held VALUES (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0)");
    }
  }

  @Test
  void anErrorOfOneNodeEndsTheLocksOfAll() throws SQLException {
    failing("UPDATE held SET n = n / 0 WHERE id = 1");
  }

  @Test
  void aRefusalEndsTheLocksOfAll() throws SQLException {
    failing("PREPARE TRANSACTION 'something'");
  }

  private void failing(String statement) throws SQLException {
    try (Connection one = router.connect();
        Statement ofOne = one.createStatement();
        Connection other = router.connect();
        Statement ofOther = other.createStatement()) {
      one.setAutoCommit(false);
      ofOne.execute("UPDATE held SET n = 100 WHERE id = 8");
      Savepoint savepoint = one.setSavepoint("before");
      assertEquals(8, ofOne.executeUpdate(ADD));
      assertThrows(SQLException.class, () -> ofOne.execute(statement));
      ofOther.execute("SET lock_timeout = '5s'");
      assertEquals(7, ofOther.executeUpdate(ADD + " WHERE id < 8"));
      one.rollback(savepoint);
      assertEquals(1, ofOne.executeUpdate(ADD + " WHERE id = 8"));
      one.commit();
      try (ResultSet sum = ofOther.executeQuery("SELECT sum(n) FROM held")) {
        sum.next();
        assertEquals(108, sum.getInt(1));
      }
    }
  }
}
