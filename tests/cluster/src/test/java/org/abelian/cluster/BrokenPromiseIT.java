package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.abelian.harness.Fault;
import org.abelian.harness.Fault.Moment;
import org.abelian.harness.LocalNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A procedure that was declared to be independent and is not, since one participant refuses what
 * another has executed: it is stopped, whoever finds that out. And what a node is given to execute
 * later, it executes as it would have at once: its own part, once.
 */
class BrokenPromiseIT {
  private static final String STOPPED = "55000";
  private static final String BROKEN = "AB003";
  private static final int STOPPED_SECONDS = 30;

  private static ProxiedCluster cluster;

  @RegisterExtension static final HealedAfterFailure HEALED = new HealedAfterFailure(() -> cluster);

  private static int first;
  private static int second;

  @BeforeAll
  static void createCluster() throws SQLException {
    cluster = ProxiedCluster.create(2);
    run("CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL CHECK (balance >= 0))");
    run("CREATE TABLE entry (account int, amount int)");
    run("SELECT create_distributed_table('account', 'id')");
    run("SELECT create_distributed_table('entry', 'account', colocate_with => 'account')");
    for (int id = 1; id <= 30; id++) {
      run("INSERT INTO account VALUES (" + id + ", 5)");
    }
    run(
        "CREATE PROCEDURE take(a int, b int, amount int) LANGUAGE sql BEGIN ATOMIC"
            + " UPDATE account SET balance = balance - amount WHERE id = a;"
            + " UPDATE account SET balance = balance - amount WHERE id = b;"
            + " INSERT INTO entry VALUES (a, amount), (b, amount); END");
    List<Integer> keys = cluster.keyOfEachNode("account");
    first = keys.get(0);
    second = keys.get(1);
  }

  @AfterAll
  static void removeCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @BeforeEach
  void declare() throws SQLException {
    run(
        "CALL create_distributed_procedure('take(int, int, int)', 'a, b', 'account', class =>"
            + " 'independent', unsafe => true)");
    run("UPDATE account SET balance = 5");
    run("DELETE FROM entry");
  }

  private static void run(String sql) throws SQLException {
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static SQLException take(int amount) {
    try {
      run("CALL take(" + first + ", " + second + ", " + amount + ")");
      return null;
    } catch (SQLException e) {
      return e;
    }
  }

  private static String state(SQLException error) {
    return error == null ? "success" : error.getSQLState();
  }

  private static long number(int node, String query) throws SQLException {
    LocalNode asked = cluster.node(node);
    return ProxiedCluster.number(asked, query);
  }

  @Test
  void theProcedureIsStoppedBeforeTheClientIsTold() throws SQLException {
    run("UPDATE account SET balance = 1 WHERE id = " + second);
    assertEquals(BROKEN, state(take(2)), "node 1 executed, node 2 could not");
    SQLException refused = take(1);
    assertEquals(STOPPED, state(refused));
    assertTrue(refused.getMessage().contains("failed on node 2: 23514"), refused.getMessage());
    assertEquals(3, number(0, "SELECT balance FROM account WHERE id = " + first));
    assertEquals(1, number(1, "SELECT balance FROM account WHERE id = " + second));
  }

  @Test
  void declaredAgainItStaysCallable() throws Exception {
    run("UPDATE account SET balance = 1 WHERE id = " + second);
    assertEquals(BROKEN, state(take(2)));
    declare();
    for (int i = 0; i < 3; i++) {
      assertEquals("success", state(take(1)), "the old failure has been dealt with");
      Thread.sleep(1_500); // more than a period of the routers' look
    }
  }

  @Test
  void aDecisionThatAllTakeAlikeStopsNothing() throws SQLException {
    assertEquals("23514", state(take(6)), "both refuse");
    assertEquals("success", state(take(1)));
  }

  /** The router dies between the first node's execution and everything else. */
  @Test
  void whatADeadRouterLeftIsFoundByTheNext() throws Exception {
    assertEquals("success", state(take(1)), "the lanes are open");
    run("UPDATE account SET balance = 1 WHERE id = " + second);
    Fault fault =
        cluster
            .proxy(1)
            .arm(Fault.cut(Moment.BEFORE, "independent_run", () -> cluster.router().kill()));
    CompletableFuture<SQLException> told = CompletableFuture.supplyAsync(() -> take(2));
    assertTrue(fault.hasStruck(20), "the fault has not struck");
    told.get(60, TimeUnit.SECONDS);
    cluster.heal();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOPPED_SECONDS);
    String query = "SELECT count(*) FROM abelian.procedure WHERE stopped LIKE '%23514%'";
    while ((number(0, query) == 0 || number(1, query) == 0) && System.nanoTime() < deadline) {
      Thread.sleep(100);
    }
    assertEquals(1, number(0, query), "stopped on node 1");
    assertEquals(1, number(1, query), "stopped on node 2");
    assertEquals(STOPPED, state(take(0)));
  }

  /** Rows of the other node are no more inserted here by completion than by the call itself. */
  @Test
  void whatIsCompletedLaterIsTheNodesOwnPart() throws Exception {
    assertEquals("success", state(take(1)), "the lanes are open");
    Fault fault =
        cluster
            .proxy(1)
            .arm(Fault.cut(Moment.BEFORE, "independent_run", () -> cluster.node(1).kill()));
    CompletableFuture<SQLException> told = CompletableFuture.supplyAsync(() -> take(1));
    assertTrue(fault.hasStruck(20), "the fault has not struck");
    cluster.heal();
    assertFalse(state(told.get(60, TimeUnit.SECONDS)).equals(BROKEN));
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOPPED_SECONDS);
    String balance = "SELECT balance FROM account WHERE id = " + second;
    while (number(1, balance) != 3 && System.nanoTime() < deadline) {
      Thread.sleep(100);
    }
    assertEquals(3, number(1, balance));
    assertEquals(2, number(0, "SELECT count(*) FROM entry WHERE account = " + first));
    assertEquals(2, number(0, "SELECT count(*) FROM entry"));
    assertEquals(2, number(1, "SELECT count(*) FROM entry WHERE account = " + second));
    assertEquals(2, number(1, "SELECT count(*) FROM entry"));
  }
}
