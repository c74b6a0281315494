package org.abelian.router.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.ScriptedCluster;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.statement.SharedStatement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a client's transaction comes to on three nodes that list what they run. */
class TransactionsTest extends ScriptedCluster {
  private Transactions transactions;

  @BeforeEach
  void begin() {
    transactions = context.transactions();
    transactions.beginGroup();
  }

  private Progress run(String sql) throws IOException {
    Progress progress = commands.run(new SharedStatement(NodeStatement.of(sql)));
    answer();
    return progress;
  }

  /** Runs a statement there, as an execution does. */
  private void runOn(int node, String sql, boolean writes) throws IOException {
    Backend backend = backends.backend(catalog, node);
    transactions.enter(backend, writes);
    transactions.inject(backend, NodeStatement.of(sql), false);
    answer();
  }

  private List<String> ranOn(int node) {
    String start = node + ": ";
    return ran().stream()
        .filter(line -> line.startsWith(start))
        .map(line -> line.substring(start.length()))
        .toList();
  }

  /** The group of messages ends, and each node says what is open there. */
  private void sync() throws IOException {
    for (Backend backend : List.copyOf(backends.touched())) {
      backends.sync(backend);
      replies.add(NodeReply.end(backend.connection));
    }
    answer();
  }

  @Test
  void aNodeHearsOfTheTransactionWithItsFirstStatement() throws IOException {
    run("BEGIN");
    run("SAVEPOINT a");
    assertEquals(List.of(), ran());
    runOn(2, "UPDATE x", true);
    assertEquals(List.of("2: BEGIN", "2: SAVEPOINT a", "2: UPDATE x"), ran());
  }

  @Test
  void commitOnOneNodeIsThatNodesOwn() throws IOException {
    run("BEGIN");
    runOn(2, "UPDATE x", true);
    assertEquals(Progress.SETTLE, run("COMMIT"));
    assertEquals(List.of("2: BEGIN", "2: UPDATE x", "2: COMMIT"), ran());
    assertEquals(List.of("BEGIN", "COMMIT"), told());
    assertFalse(transaction.isOpen());
  }

  @Test
  void savepointsReachTheNodesThatAreThereAndThoseThatComeLater() throws IOException {
    run("BEGIN");
    runOn(1, "UPDATE x", true);
    run("SAVEPOINT a");
    runOn(3, "UPDATE y", true);
    run("ROLLBACK TO a");
    List<String> one = List.of("BEGIN", "UPDATE x", "SAVEPOINT a", "ROLLBACK TO a");
    assertEquals(one, ranOn(1));
    assertEquals(List.of("BEGIN", "SAVEPOINT a", "UPDATE y", "ROLLBACK TO a"), ranOn(3));
    assertTrue(transaction.hasSavepoint("a"));
  }

  @Test
  void whatIsReleasedIsNotToldToNodesThatComeLater() throws IOException {
    run("BEGIN");
    run("SAVEPOINT a");
    run("RELEASE a");
    runOn(1, "UPDATE x", true);
    assertEquals(List.of("1: BEGIN", "1: UPDATE x"), ran());
    assertEquals(List.of("BEGIN", "SAVEPOINT", "RELEASE"), told());
  }

  @Test
  void savepointsThatCannotBeAreRefusedWithoutANode() throws IOException {
    assertEquals("25P01", error("SAVEPOINT a"));
    run("BEGIN");
    assertEquals("3B001", error("ROLLBACK TO a"));
    assertEquals(List.of(), ran());
  }

  private String error(String sql) {
    return assertThrows(ClientError.class, () -> run(sql)).fields().sqlState();
  }

  @Test
  void rollbackReachesAllNodesOfTheTransactionAndNoOther() throws IOException {
    run("BEGIN");
    runOn(1, "UPDATE x", true);
    runOn(3, "UPDATE y", true);
    run("ROLLBACK");
    assertTrue(ran().containsAll(List.of("1: ROLLBACK", "3: ROLLBACK")), ran().toString());
    assertFalse(ran().stream().anyMatch(line -> line.startsWith("2")), ran().toString());
    assertFalse(transaction.isOpen());
    assertEquals("ROLLBACK", told().get(told().size() - 1));
  }

  @Test
  void aSecondNodeOfAGroupThatWritesMakesItOneTransaction() throws IOException {
    runOn(1, "UPDATE x", true);
    assertFalse(transaction.isOpen());
    runOn(2, "UPDATE y", true);
    assertEquals(TransactionState.Kind.IMPLICIT, transaction.kind());
    assertTrue(ran().containsAll(List.of("1: BEGIN", "2: BEGIN")), ran().toString());
  }

  @Test
  void readsOfSeveralNodesAreNoTransaction() throws IOException {
    runOn(1, "SELECT x", false);
    runOn(2, "SELECT y", false);
    assertEquals(List.of("1: SELECT x", "2: SELECT y"), ran());
    assertFalse(transaction.isOpen());
  }

  @Test
  void anErrorOnOneNodeFailsTheTransactionOnTheOthers() throws IOException {
    run("BEGIN");
    runOn(1, "UPDATE x", true);
    runOn(2, "UPDATE y", true);
    sync();
    transactions.endGroup(true);
    assertTrue(transaction.isFailed());
    assertEquals("25P02", error("SAVEPOINT a"));
    long failing = ran().stream().filter(line -> line.contains("failed elsewhere")).count();
    assertEquals(2, failing, "both are told, since each has to give up its locks");
  }

  @Test
  void commitOfAFailedTransactionRollsBack() throws IOException {
    run("BEGIN");
    runOn(1, "UPDATE x", true);
    transactions.endGroup(true);
    transactions.beginGroup();
    run("COMMIT");
    assertTrue(ran().contains("1: ROLLBACK"), ran().toString());
    assertEquals("ROLLBACK", told().get(told().size() - 1));
  }

  @Test
  void commitAndChainBeginsAnotherOfTheSameKind() throws IOException {
    run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    runOn(1, "UPDATE x", true);
    run("ROLLBACK AND CHAIN");
    assertTrue(transaction.isBlock());
    runOn(2, "SELECT y", false);
    assertTrue(ran().contains("2: BEGIN ISOLATION LEVEL REPEATABLE READ"), ran().toString());
  }

  @Test
  void modesOfABeginReachNodesThatTheGroupHasBegunOn() throws IOException {
    transactions.openImplicit();
    runOn(1, "LOCK x", true);
    run("BEGIN READ ONLY");
    assertEquals(List.of("BEGIN", "LOCK x", "BEGIN READ ONLY"), ranOn(1));
    runOn(2, "SELECT y", false);
    assertEquals(List.of("BEGIN READ ONLY", "SELECT y"), ranOn(2));
    assertTrue(transaction.isBlock());
    assertEquals(List.of("BEGIN"), told());
  }

  @Test
  void atRepeatableReadAllNodesHaveASnapshotBeforeTheFirstRead() throws IOException {
    String begin = "BEGIN ISOLATION LEVEL REPEATABLE READ";
    run(begin);
    run("SAVEPOINT a");
    runOn(2, "SELECT y", false);
    List<String> behindGate = List.of("BEGIN", begin, "SAVEPOINT a", "SELECT 1", "COMMIT");
    assertEquals(behindGate, ranOn(1));
    assertEquals(behindGate, ranOn(3));
    List<String> second = ranOn(2);
    assertTrue(second.indexOf("SELECT 1") < second.indexOf("SELECT y"), second.toString());
    int before = ran().size();
    runOn(3, "SELECT z", false);
    assertEquals(List.of("3: SELECT z"), ran().subList(before, ran().size()));
  }

  @Test
  void noSavepointHelpsWhereANodeHasFailedToTakeItsSnapshot() throws IOException {
    nodes.get(1).fail("SELECT 1", "57014");
    run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    run("SAVEPOINT a");
    runOn(1, "SELECT y", false);
    assertEquals(List.of("57014"), errors);
    for (int node = 1; node <= 3; node++) {
      assertTrue(ranOn(node).contains("COMMIT"), "the gate is left: " + ranOn(node));
    }
    sync();
    transactions.endGroup(true);
    replies.beginGroup();
    transactions.beginGroup();
    run("ROLLBACK TO a");
    Backend backend = backends.backend(catalog, 1);
    AbelianException refused =
        assertThrows(AbelianException.class, () -> transactions.enter(backend, false));
    assertEquals(SqlState.SERIALIZATION_FAILURE, refused.state(), refused.getMessage());
  }

  @Test
  void aLevelOfOneSnapshotIsRefusedOnSeveralNodes() throws IOException {
    transactions.openImplicit();
    runOn(1, "LOCK x", true);
    runOn(2, "LOCK x", true);
    NodeStatement one = NodeStatement.of("SET LOCAL abelian.distributed_isolation = 'one_node'");
    transactions.state().setting(IsolationSettings.DISTRIBUTED_ISOLATION, "one_node", one);
    run("BEGIN ISOLATION LEVEL SERIALIZABLE");
    assertEquals(1, errors.size());
    assertTrue(errors.get(0).contains("must stay on one node"), errors.toString());
    assertEquals(List.of(), told());
  }

  @Test
  void aSerializableTransactionHasASnapshotWhereItHasNotWorked() throws IOException {
    run("BEGIN ISOLATION LEVEL SERIALIZABLE");
    runOn(1, "SELECT x", false);
    for (int node = 1; node <= 3; node++) {
      List<String> all = ranOn(node);
      assertTrue(all.contains("SELECT 1"), all.toString());
      assertEquals(node == 1, backends.backend(catalog, node).worked);
    }
  }

  @Test
  void modesThatANodeRefusesAreNotTold() throws IOException {
    nodes.get(0).fail("BEGIN ISOLATION LEVEL SERIALIZABLE", "25001");
    transactions.openImplicit();
    runOn(1, "UPDATE x", true);
    run("BEGIN ISOLATION LEVEL SERIALIZABLE");
    assertEquals(List.of("25001"), errors);
    assertEquals(List.of(), told());
  }

  @Test
  void commitWithoutBeginWarnsAndChangesNothing() throws IOException {
    run("COMMIT");
    assertEquals(List.of("COMMIT"), told());
    assertEquals(List.of(), ran());
    assertEquals("25P01", error("COMMIT AND CHAIN"));
  }
}
