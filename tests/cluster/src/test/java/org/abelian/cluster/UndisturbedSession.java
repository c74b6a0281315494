package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.SplittableRandom;
import org.abelian.harness.RouterServer;

/**
 * A client of its own tables, which checks that it finds what it has written: one transaction that
 * stays open, and short ones over several nodes, beside whatever others do.
 */
final class UndisturbedSession implements AutoCloseable {
  private static final int ROWS = 9;

  private final Connection open;
  private final Connection quick;
  private final long[] expected = new long[ROWS];
  private final SplittableRandom random = new SplittableRandom(7);
  private int transactions;

  UndisturbedSession(RouterServer router) throws SQLException {
    open = router.connect();
    quick = router.connect();
    open.setAutoCommit(false);
    try (Statement statement = open.createStatement()) {
      statement.execute("SET LOCAL work_mem = '77MB'");
      statement.execute("UPDATE undisturbed SET n = 2 WHERE id <= 5");
    }
    quick.setAutoCommit(false);
  }

  static void createTables(Statement statement) throws SQLException {
    for (String table : new String[] {"undisturbed", "account_of_mine"}) {
      statement.execute("DROP TABLE IF EXISTS " + table);
      statement.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, n bigint)");
      statement.execute("SELECT create_distributed_table('" + table + "', 'id')");
      for (int id = 1; id <= ROWS; id++) {
        statement.execute("INSERT INTO " + table + " VALUES (" + id + ", 0)");
      }
    }
  }

  int transactions() {
    return transactions;
  }

  /** Runs some more, and looks whether all is as it was left. */
  void goOn() throws SQLException {
    for (int i = 0; i < 5; i++) {
      transfer(random.nextInt(ROWS), random.nextInt(ROWS), random.nextInt(1, 100));
    }
    try (Statement statement = open.createStatement()) {
      assertEquals("10", text(statement, "SELECT sum(n) FROM undisturbed"));
      assertEquals("77MB", text(statement, "SHOW work_mem"));
    }
  }

  private void transfer(int from, int to, int amount) throws SQLException {
    boolean commits = random.nextInt(4) > 0;
    try (Statement statement = quick.createStatement()) {
      change(statement, from, -amount);
      change(statement, to, amount);
      if (commits) {
        quick.commit();
        expected[from] -= amount;
        expected[to] += amount;
      } else {
        quick.rollback();
      }
      for (int i = 0; i < ROWS; i++) {
        String sql = "SELECT n FROM account_of_mine WHERE id = " + (i + 1);
        assertEquals(Long.toString(expected[i]), text(statement, sql));
      }
      quick.commit();
      transactions++;
    }
  }

  private static void change(Statement statement, int row, int amount) throws SQLException {
    String sql = "UPDATE account_of_mine SET n = n + " + amount + " WHERE id = " + (row + 1);
    assertEquals(1, statement.executeUpdate(sql));
  }

  private static String text(Statement statement, String sql) throws SQLException {
    try (ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getString(1);
    }
  }

  /** Commits what has stayed open. */
  @Override
  public void close() throws SQLException {
    try (open;
        quick) {
      open.commit();
    }
  }
}
