package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;

/** A connection to one PostgreSQL and one through a router, which must answer alike. */
final class Twins implements AutoCloseable {
  private final Connection plain;
  private final Connection routed;

  /**
   * Connects to both.
   *
   * @param options of the JDBC driver through the router
   */
  Twins(LocalNode single, RouterServer router, String options) throws SQLException {
    plain = single.connectAsSuperuser();
    routed =
        DriverManager.getConnection(
            router.jdbcUrl() + "?" + options, LocalNode.SUPERUSER, LocalNode.SUPERUSER);
  }

  /** The connection through the router. */
  Connection routed() {
    return routed;
  }

  /** The one PostgreSQL first. */
  List<Connection> both() {
    return List.of(plain, routed);
  }

  /** Both answer alike: rows, counts, or the SQLSTATE. */
  void same(String sql) {
    same(sql, UnaryOperator.identity());
  }

  /** The same, but the order of rows is not said. */
  void sameUnordered(String sql) {
    same(sql, rows -> rows.stream().sorted().toList());
  }

  private void same(String sql, UnaryOperator<List<String>> order) {
    List<String> expected = order.apply(answer(plain, sql));
    StringBuilder refusal = new StringBuilder();
    List<String> actual = order.apply(answer(routed, sql, refusal));
    assertEquals(expected, actual, () -> sql + ' ' + refusal);
  }

  /** Makes tables anew on both, and places them through the router. */
  void create(String drop, List<String> tables, List<String> placements) throws SQLException {
    same(drop);
    tables.forEach(this::same);
    for (String placement : placements) {
      run(routed, placement);
    }
  }

  static List<String> answer(Connection connection, String sql) {
    return answer(connection, sql, new StringBuilder());
  }

  private static List<String> answer(Connection connection, String sql, StringBuilder refusal) {
    try {
      return run(connection, sql);
    } catch (SQLException refused) {
      refusal.append(refused.getMessage());
      return List.of(refused.getSQLState());
    }
  }

  static List<String> run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      List<String> answer = new ArrayList<>();
      if (statement.execute(sql)) {
        add(statement.getResultSet(), answer);
      } else {
        answer.add("count " + statement.getUpdateCount());
      }
      return answer;
    }
  }

  static void add(ResultSet rows, List<String> answer) throws SQLException {
    int columns = rows.getMetaData().getColumnCount();
    while (rows.next()) {
      StringBuilder row = new StringBuilder();
      for (int i = 1; i <= columns; i++) {
        row.append(rows.getString(i)).append('|');
      }
      answer.add(row.toString());
    }
  }

  @Override
  public void close() throws SQLException {
    plain.close();
    routed.close();
  }

  /**
   * One session changes something in a transaction, another waits for its end.
   *
   * @param nodes those where it may wait
   * @param word in the text of what waits
   * @return the second one's answer
   */
  static List<String> meet(
      Connection first,
      String change,
      Connection second,
      String statement,
      List<LocalNode> nodes,
      String word)
      throws Exception {
    run(first, "BEGIN");
    run(first, change);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<List<String>> waiting = thread.submit(() -> answer(second, statement));
      awaitLock(nodes, word);
      run(first, "COMMIT");
      return waiting.get(60, TimeUnit.SECONDS);
    } finally {
      thread.shutdown();
    }
  }

  private static void awaitLock(List<LocalNode> nodes, String word) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (System.nanoTime() < deadline) {
      for (LocalNode node : nodes) {
        try (Connection connection = node.connectAsSuperuser()) {
          String waits =
              "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ '"
                  + word
                  + "'";
          if (!run(connection, waits).isEmpty()) {
            return;
          }
        }
      }
      Thread.sleep(20);
    }
    throw new AssertionError("nobody waits");
  }
}
