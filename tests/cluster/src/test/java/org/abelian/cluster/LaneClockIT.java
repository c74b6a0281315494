package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.abelian.harness.Fault;
import org.abelian.harness.Fault.Moment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Three transactions, each over another pair of three nodes, one of which has a clock that is
 * ahead: the independent one that precedes what spans the other two nodes also precedes the
 * independent one that follows it, on the node that these share.
 */
class LaneClockIT {
  private static final long AHEAD_MICROSECONDS = 600_000_000;
  private static final long WAIT_SECONDS = 20;

  private static ProxiedCluster cluster;
  private static List<Integer> keys;

  @BeforeAll
  static void createCluster() throws SQLException {
    cluster = ProxiedCluster.create(3);
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE entry (id int PRIMARY KEY, log text NOT NULL DEFAULT '')");
      statement.execute("SELECT create_distributed_table('entry', 'id')");
      for (int id = 1; id <= 60; id++) {
        statement.execute("INSERT INTO entry VALUES (" + id + ")");
      }
      statement.execute(
          "CREATE PROCEDURE append(a int, b int, what text) LANGUAGE sql BEGIN ATOMIC"
              + " UPDATE entry SET log = log || what WHERE id IN (a, b); END");
      statement.execute(
          "SELECT create_distributed_procedure('append(int, int, text)', 'a, b', colocate_with =>"
              + " 'entry', class => 'independent', unsafe => true)");
    }
    keys = cluster.keyOfEachNode("entry");
    call(0, 1, "-");
    call(1, 2, "-");
  }

  @AfterAll
  static void removeCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static void call(int one, int other, String what) {
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CALL append(%d, %d, '%s')".formatted(keys.get(one), keys.get(other), what));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Appends to the rows of nodes 1 and 2 by a coordinated commit. */
  private static void write(Statement statement) throws SQLException {
    statement.execute("BEGIN");
    for (int node : new int[] {2, 1}) {
      statement.execute("UPDATE entry SET log = log || 'k' WHERE id = " + keys.get(node));
    }
    statement.execute("COMMIT");
  }

  private static void read(Statement statement) throws SQLException {
    String ids = keys.get(1) + "," + keys.get(2);
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT string_agg(log, ' ') FROM entry WHERE id IN (" + ids + ")")) {
      rows.next();
      assertTrue(rows.getString(1).contains("a"), "the read comes after a: " + rows.getString(1));
      assertTrue(!rows.getString(1).contains("b"), "the read comes before b");
    }
  }

  @ParameterizedTest(name = "a {0} between")
  @ValueSource(strings = {"write", "read"})
  void whatSpansTwoNodesPutsIndependentTransactionsInOrder(String between) throws Exception {
    clear();
    ProxiedCluster.number(
        cluster.node(2),
        "SELECT 1 FROM abelian.independent_lane, LATERAL (SELECT abelian.independent_advance("
            + "(abelian.independent_state())[2] + "
            + AHEAD_MICROSECONDS
            + ")) ahead");
    CompletableFuture<Void> second = new CompletableFuture<>();
    // a has been executed on node 2, and is held before node 0 learns its timestamp.
    Fault held =
        cluster
            .proxy(0)
            .arm(
                Fault.hold(
                    Moment.BEFORE, "abelian.independent_run", () -> whileHeld(between, second)));
    call(0, 2, "a");
    assertTrue(held.hasStruck(0), "nothing was held");
    second.get(WAIT_SECONDS, TimeUnit.SECONDS);
    assertEquals("ab", log(0), "node 1: " + log(1) + ", node 2: " + log(2));
  }

  private static void whileHeld(String between, CompletableFuture<Void> second) {
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      await(() -> log(2).contains("a"));
      if (between.equals("write")) {
        write(statement);
      } else {
        read(statement);
      }
      CompletableFuture.runAsync(() -> call(0, 1, "b"))
          .whenComplete(
              (nothing, error) -> {
                if (error == null) {
                  second.complete(null);
                } else {
                  second.completeExceptionally(error);
                }
              });
      await(() -> log(1).contains("b"));
    } catch (SQLException | InterruptedException e) {
      second.completeExceptionally(e);
    }
  }

  /** A condition that asks a node. */
  private interface Condition {
    boolean holds() throws SQLException;
  }

  private static void await(Condition condition) throws SQLException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (!condition.holds()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("it does not happen");
      }
      Thread.sleep(10);
    }
  }

  private static void clear() throws SQLException {
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("UPDATE entry SET log = ''");
    }
  }

  private static String log(int node) throws SQLException {
    try (Connection connection = cluster.node(node).connectAsSuperuser();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT log FROM entry WHERE id = " + keys.get(node))) {
      row.next();
      return row.getString(1);
    }
  }
}
