package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.abelian.harness.CaseShare;
import org.abelian.harness.Fault;
import org.abelian.harness.Fault.Moment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A transfer between two nodes as an independent transaction, with a fault at each of its messages:
 * afterwards both rows or neither have changed, as the client was told, nothing stays pending, and
 * the lanes are open.
 */
class IndependentFaultsIT {
  private static final String PROPOSE = "independent_propose";
  private static final String EXECUTE = "independent_run";
  private static final String FREEZE = "independent_freeze";
  private static final String UNKNOWN = "08007";
  private static final long SETTLED_SECONDS = 20;

  private static ProxiedCluster cluster;

  @RegisterExtension static final HealedAfterFailure HEALED = new HealedAfterFailure(() -> cluster);

  private static int from;
  private static int to;

  @BeforeAll
  static void createCluster() throws SQLException {
    cluster = ProxiedCluster.create(2);
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL)");
      statement.execute("SELECT create_distributed_table('account', 'id')");
      for (int id = 1; id <= 30; id++) {
        statement.execute("INSERT INTO account VALUES (" + id + ", 0)");
      }
      statement.execute(
          "CREATE PROCEDURE transfer(source int, target int, amount int) LANGUAGE sql BEGIN ATOMIC"
              + " UPDATE account SET balance = balance - amount WHERE id = source;"
              + " UPDATE account SET balance = balance + amount WHERE id = target; END");
      statement.execute(
          "SELECT create_distributed_procedure('transfer(int, int, int)', 'source, target',"
              + " colocate_with => 'account', class => 'independent', unsafe => true)");
      statement.execute(
          "CREATE FUNCTION deposit(keys int[]) RETURNS bigint LANGUAGE sql BEGIN ATOMIC"
              + " UPDATE account SET balance = balance + 1 WHERE id = ANY (keys);"
              + " SELECT coalesce(sum(balance), 0) FROM account WHERE id = ANY (keys); END");
      statement.execute(
          "SELECT create_distributed_procedure('deposit(int[])', 'keys', colocate_with =>"
              + " 'account', merge => 'sum', class => 'independent', unsafe => true)");
    }
    List<Integer> keys = cluster.keyOfEachNode("account");
    from = keys.get(0);
    to = keys.get(1);
  }

  @AfterAll
  static void removeCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void aCallIsExecutedInTheLanesOfItsNodes() throws Exception {
    long before = ProxiedCluster.number(cluster.node(0), "SELECT at FROM abelian.independent_lane");
    long balance = balance(0, from);
    Told told = transfer();
    assertTrue(told.success(), told.toString());
    long after = ProxiedCluster.number(cluster.node(0), "SELECT at FROM abelian.independent_lane");
    assertTrue(after > before, "the lane has not moved");
    assertEquals(
        after, ProxiedCluster.number(cluster.node(1), "SELECT at FROM abelian.independent_lane"));
    assertEquals(balance - 1, balance(0, from));
  }

  /** What was not acknowledged is executed nonetheless; its rows are gone. */
  @Test
  void aLostResultIsToldAsCommittedAndNotAsSuccess() throws Exception {
    assertTrue(transfer().success(), "the lanes are open before");
    long fromBefore = balance(0, from);
    long toBefore = balance(1, to);
    Fault fault = cluster.proxy(1).arm(Fault.cut(Moment.ANSWERED, EXECUTE));
    SQLException lost = assertThrows(SQLException.class, IndependentFaultsIT::deposit);
    assertTrue(fault.hasStruck(1), "the fault has not struck");
    assertEquals("AB005", lost.getSQLState(), lost.toString());
    assertTrue(lost.getMessage().contains("is committed"), lost.getMessage());
    cluster.heal();
    assertEquals(fromBefore + 1, balance(0, from));
    assertEquals(toBefore + 1, balance(1, to));
    assertEquals(fromBefore + toBefore + 4, deposit(), "the next call gets its result");
  }

  static Stream<Arguments> faults() {
    return CaseShare.of(
        Stream.of(PROPOSE, EXECUTE)
            .flatMap(
                step ->
                    Stream.of(Moment.values())
                        .flatMap(
                            moment ->
                                Stream.of(Victim.values())
                                    .flatMap(
                                        victim ->
                                            Stream.of(0, 1)
                                                .filter(node -> node == 1 || step.equals(EXECUTE))
                                                .map(
                                                    node ->
                                                        Arguments.of(
                                                            moment, step, victim, node))))));
  }

  @ParameterizedTest(name = "{0} {1}, {2} lost, at node {3}")
  @MethodSource("faults")
  void aTransferIsWholeAfterAFault(Moment moment, String step, Victim victim, int node)
      throws Exception {
    assertTrue(transfer().success(), "the lanes are open before");
    Fault fault =
        cluster.proxy(node).arm(Fault.cut(moment, step, () -> victim.strike(cluster, node)));
    assertWhole(fault);
  }

  /** The settling router dies as well, and the node that has executed is lost meanwhile. */
  @ParameterizedTest(name = "{0}, {1} lost")
  @MethodSource("settlingFaults")
  void aTransferIsWholeWhenSettlingFailsToo(Moment moment, Victim victim) throws Exception {
    assertTrue(transfer().success(), "the lanes are open before");
    cluster.proxy(0).arm(Fault.cut(Moment.BEFORE, EXECUTE));
    Fault fault = cluster.proxy(1).arm(Fault.cut(moment, FREEZE, () -> victim.strike(cluster, 1)));
    assertWhole(fault);
  }

  static Stream<Arguments> settlingFaults() {
    return Stream.of(Moment.values())
        .flatMap(moment -> Stream.of(Victim.values()).map(victim -> Arguments.of(moment, victim)));
  }

  @Test
  void whatANodeLostFromItsMemoryIsExecutedAgainBeforeItsLaneOpens() throws Exception {
    assertTrue(transfer().success(), "the lanes are open before");
    long fromBefore = balance(0, from);
    long toBefore = balance(1, to);
    // Node 0 executes, and is killed before the router hears of it; the router settles alone.
    cluster.proxy(0).arm(Fault.cut(Moment.BEFORE, EXECUTE, () -> Victim.NODE.strike(cluster, 0)));
    CompletableFuture<Told> told = CompletableFuture.supplyAsync(IndependentFaultsIT::transfer);
    Thread.sleep(1_000);
    cluster.heal();
    Told answer = told.get(60, TimeUnit.SECONDS);
    assertEquals(List.of(), cluster.lanesAfterRecovery(SETTLED_SECONDS), answer.toString());
    assertEquals(fromBefore - 1, balance(0, from), "node 1 had executed it: " + answer);
    assertEquals(toBefore + 1, balance(1, to));
    assertTrue(transfer().success(), "the lane is open again");
  }

  @Test
  void aNodeThatIsDownIsToldInOneWayWhicheverMessageMeetsIt() throws Exception {
    assertTrue(transfer().success(), "the lanes are open before");
    long fromBefore = balance(0, from);
    cluster.proxy(1).arm(Fault.cut(Moment.BEFORE, PROPOSE, () -> Victim.NODE.strike(cluster, 1)));
    List<Told> answers = List.of(transfer(), transfer());
    cluster.heal();
    for (Told told : answers) { // the first by its proposal, the second when it connects
      assertEquals("08006", told.sqlState(), told.toString());
      String error = "node 2 at 127.0.0.1:" + cluster.proxy(1).port() + " cannot be reached;";
      assertTrue(told.text().contains(error), told.toString());
      assertTrue(told.text().contains("nothing of this transaction took effect"), told.toString());
      assertTrue(told.text().contains("Hint: Try the transaction again."), told.toString());
    }
    assertEquals(List.of(), cluster.lanesAfterRecovery(SETTLED_SECONDS));
    assertEquals(fromBefore, balance(0, from));
  }

  private static void assertWhole(Fault fault) throws Exception {
    long fromBefore = balance(0, from);
    long toBefore = balance(1, to);
    CompletableFuture<Told> pending = CompletableFuture.supplyAsync(IndependentFaultsIT::transfer);
    assertTrue(fault.hasStruck(20), "the fault has not struck");
    cluster.heal();
    Told told = pending.get(60, TimeUnit.SECONDS);
    assertEquals(List.of(), cluster.lanesAfterRecovery(SETTLED_SECONDS), told.toString());
    long moved = fromBefore - balance(0, from);
    assertEquals(moved, balance(1, to) - toBefore, "torn: " + told);
    assertTrue(moved == 0 || moved == 1, "moved " + moved);
    if (told.success()) {
      assertEquals(1, moved, "an acknowledged transaction is lost");
    } else if (told.rolledBack()) {
      assertEquals(0, moved, "executed although " + told);
    }
    assertTrue(!UNKNOWN.equals(told.sqlState()) || told.text().contains("not known"));
  }

  private static Told transfer() {
    try (Connection connection = cluster.router().connect()) {
      try (PreparedStatement call = connection.prepareStatement("CALL transfer(?, ?, ?)")) {
        call.setInt(1, from);
        call.setInt(2, to);
        call.setInt(3, 1);
        call.execute();
      }
      return Told.SUCCESS;
    } catch (SQLException e) {
      return Told.of(e);
    }
  }

  private static long deposit() throws SQLException {
    try (Connection connection = cluster.router().connect();
        PreparedStatement call = connection.prepareStatement("SELECT deposit(?)")) {
      call.setArray(1, connection.createArrayOf("int4", new Integer[] {from, to}));
      try (ResultSet row = call.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  private static long balance(int node, int id) throws SQLException {
    return ProxiedCluster.number(
        cluster.node(node), "SELECT balance FROM account WHERE id = " + id);
  }
}
