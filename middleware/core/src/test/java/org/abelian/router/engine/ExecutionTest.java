package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.backend.Backend;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.session.TransactionState;
import org.junit.jupiter.api.Test;

/** Each way to run a statement, on three nodes that answer as they were told to. */
class ExecutionTest extends ScriptedCluster {
  private static Route.Scatter scatter(MergeFacts.Mode mode) {
    return new Route.Scatter(List.of(1, 2, 3), merge(mode, null));
  }

  @Test
  void oneNodeAnswersAsItIs() throws IOException {
    nodes.get(1).answer("SELECT 1", "SELECT 1", "x");
    BoundStatement bound = bound("SELECT 1", "{\"kind\": \"select\", \"returns_rows\": true}");
    Execution execution =
        SingleNodeExecution.bind(context, bound, backends.backend(catalog, 2), true, null, false);
    assertEquals(Progress.NEXT, execution.execute(0));
    answer();
    assertEquals(List.of("2: SELECT 1"), ran());
    assertEquals(List.of("x", "SELECT 1"), told());
  }

  @Test
  void whatMaySetSomethingIsFollowedByTheQuestion() throws IOException {
    nodes.get(0).answer("SHOW abelian.settings", "SHOW", "work_mem=1MB\n");
    BoundStatement bound =
        bound("SELECT f()", "{\"kind\": \"select\", \"returns_rows\": true, \"sets\": true}");
    Execution execution =
        SingleNodeExecution.bind(context, bound, backends.backend(catalog, 1), true, null, false);
    assertEquals(Progress.SETTLE, execution.execute(0));
    answer();
    assertEquals("1MB", backends.setting("work_mem"));
    assertEquals(List.of("SELECT 0"), told());
  }

  @Test
  void writesOnSeveralNodesAreOneTransactionAndAddUp() throws IOException {
    String sql = "DELETE FROM t";
    for (int i = 0; i < 3; i++) {
      nodes.get(i).answer(sql, "DELETE " + (i + 1));
    }
    Execution execution =
        bind(sql, "{\"kind\": \"delete\"}", new Route.ScatterWrite(List.of(1, 2, 3)));
    assertEquals(Progress.NEXT, execution.execute(0));
    answer();
    assertEquals(List.of("DELETE 6"), told());
    assertEquals(TransactionState.Kind.IMPLICIT, transaction.kind());
    for (int id = 1; id <= 3; id++) {
      assertTrue(ran().indexOf(id + ": BEGIN") < ran().indexOf(id + ": " + sql), ran().toString());
    }
  }

  @Test
  void theFirstNodeGoesAheadWithAChangeOfAll() throws IOException {
    String sql = "CREATE TABLE t ()";
    Execution execution =
        bind(
            sql,
            "{\"kind\": \"utility\", \"utility\": \"ddl\", \"tag\": \"CREATE TABLE\"}",
            new Route.AllNodes(Route.Purpose.SCHEMA));
    assertEquals(Progress.BARRIER, execution.execute(0));
    answer();
    List<String> changes = ran().stream().filter(line -> line.endsWith(sql)).toList();
    assertEquals("1: " + sql, changes.get(0));
    assertEquals(3, changes.size());
    assertEquals(List.of(sql), told());
  }

  @Test
  void whatTheFirstNodeRefusesTheOthersAreNotAsked() throws IOException {
    String sql = "CREATE TABLE t ()";
    nodes.get(0).fail(sql, "42P07");
    Execution execution =
        bind(
            sql,
            "{\"kind\": \"utility\", \"utility\": \"ddl\", \"tag\": \"CREATE TABLE\"}",
            new Route.AllNodes(Route.Purpose.SCHEMA));
    execution.execute(0);
    answer();
    assertEquals(List.of("42P07"), errors);
    assertEquals(1, ran().stream().filter(line -> line.endsWith(sql)).count());
  }

  @Test
  void rowsOfSeveralNodesComeOneNodeAfterTheOther() throws IOException {
    String sql = "SELECT a FROM t";
    nodes.get(0).answer(sql, "SELECT", "1a", "1b");
    nodes.get(1).answer(sql, "SELECT");
    nodes.get(2).answer(sql, "SELECT", "3a");
    Execution execution =
        bind(
            sql, "{\"kind\": \"select\", \"returns_rows\": true}", scatter(MergeFacts.Mode.CONCAT));
    assertEquals(Progress.NEXT, execution.execute(0));
    answer();
    assertEquals(List.of("1a", "1b", "3a", "SELECT 3"), told());
    for (int id = 1; id <= 3; id++) {
      assertTrue(log.contains(id + ": " + GATE), log.toString());
    }
  }

  @Test
  void theFirstRowsOfAllAreSkippedAndThoseBeyondTheLimitAreNotTold() throws IOException {
    String sql = "SELECT a FROM t LIMIT 3 OFFSET 2";
    for (int i = 0; i < 3; i++) {
      nodes.get(i).answer("SELECT a FROM t LIMIT 5", "SELECT", (i + 1) + "a", (i + 1) + "b");
    }
    MergeFacts.Window window =
        new MergeFacts.Window(
            new Value.Constant("3", 20, -1),
            new Value.Constant("2", 20, -1),
            "SELECT a FROM t LIMIT 5");
    MergeFacts limited = merge(MergeFacts.Mode.COMBINE, new MergeFacts.Finish(window));
    Execution execution =
        bind(
            sql,
            "{\"kind\": \"select\", \"returns_rows\": true}",
            new Route.Scatter(List.of(1, 2, 3), limited, new Route.Window(2, 3)));
    execution.execute(0);
    answer();
    assertEquals(List.of("2a", "2b", "3a", "SELECT 3"), told());
  }

  @Test
  void gatesAreLeftByAReadThatCannotBeBound() {
    AbelianException refusal = AbelianException.internal("no memory for its values", null);
    JointRead read =
        new JointRead() {
          private int closed;

          @Override
          public void bind(int place, byte[] portal) {
            if (place == 2 && closed == 3) { // It has been bound for its locks.
              throw refusal;
            }
          }

          @Override
          public void run(int place) {
            throw new AssertionError("not everybody has its snapshot");
          }

          @Override
          public void close(int place) {
            closed++;
          }

          @Override
          public NodePortal portal(int place) {
            throw new AssertionError("no snapshot is completed");
          }
        };
    BoundStatement bound = bound("SELECT 1", "{\"kind\": \"select\", \"returns_rows\": true}");
    List<Backend> all = List.of(1, 2, 3).stream().map(id -> backends.backend(catalog, id)).toList();
    JointSnapshot snapshot = new JointSnapshot(context, bound.routed(), all, read, false, false);
    assertSame(refusal, assertThrows(AbelianException.class, snapshot::take));
    for (int id = 1; id <= 3; id++) {
      assertTrue(log.contains(id + ": COMMIT"), log.toString());
    }
  }

  @Test
  void snapshotsThatFitTogetherNeedNoGates() throws IOException {
    nodes.forEach(node -> node.shows("r 0 0 0"));
    readAll();
    assertEquals(3, gatesEntered(), "nothing is known at first");
    readAll();
    assertEquals(3, gatesEntered(), log.toString());
  }

  @Test
  void aReadThatSeesATransactionInPartIsBoundAnew() throws IOException {
    nodes.forEach(node -> node.shows("r 0 0 0"));
    readAll();
    nodes.get(0).shows("r 1 1 0 vabelian:1:a-1/1,2");
    nodes.get(1).shows("r 1 0 0 iabelian:1:a-1/1,2", "r 1 1 0 vabelian:1:a-1/1,2");
    int before = told().size();
    readAll();
    assertEquals(3, gatesEntered(), log.toString());
    assertEquals(4, told().size() - before, "the rows of one round are told");
    assertEquals(4, nodes.get(1).asked(), "for locks, behind the gates, and in two rounds");
  }

  @Test
  void aSnapshotIsCompletedByWhatWasReadyWhenItWasTaken() throws IOException {
    nodes.forEach(node -> node.shows("r 0 0 0"));
    readAll();
    nodes.get(0).shows("r 1 1 0 vabelian:1:a-1/1,2");
    String ready = "r 1 0 0 e1:abelian:1:a-1/1,2";
    nodes.get(1).shows(ready, "completed");
    int before = told().size();
    readAll();
    assertEquals(3, gatesEntered(), log.toString());
    assertEquals(4, told().size() - before, "the rows of one round are told");
    assertEquals(4, nodes.get(1).asked(), "for locks, behind the gates, once, and to complete it");
    assertEquals(3, nodes.get(2).asked(), "there is nothing to complete elsewhere");
  }

  @Test
  void aSnapshotThatCannotBeCompletedIsTakenAnew() throws IOException {
    nodes.forEach(node -> node.shows("r 0 0 0"));
    readAll();
    nodes.get(0).shows("r 1 1 0 vabelian:1:a-1/1,2");
    String ready = "r 1 0 0 e1:abelian:1:a-1/1,2";
    nodes.get(1).shows(ready, "", "r 1 1 0 vabelian:1:a-1/1,2");
    readAll();
    assertEquals(3, gatesEntered(), log.toString());
    assertEquals(5, nodes.get(1).asked());
  }

  private static final String PROPOSE = "SELECT abelian.independent_propose($1, $2, $3, $4, $5)";

  /** The next one stands alone. */
  private void readAllAndEnd() throws IOException {
    readAll();
    endGroup();
  }

  private void propose(long one, long two, long three) {
    nodes.get(0).answer(PROPOSE, "SELECT 1", Long.toString(one));
    nodes.get(1).answer(PROPOSE, "SELECT 1", Long.toString(two));
    nodes.get(2).answer(PROPOSE, "SELECT 1", Long.toString(three));
  }

  /** Something is known of the nodes, and their lanes will answer a proposal so. */
  private void readOnceAndPropose(long one, long two, long three) throws IOException {
    nodes.forEach(node -> node.shows("r 0 0 0"));
    readAllAndEnd();
    propose(one, two, three);
  }

  private long logged(String end) {
    return log.stream().filter(line -> line.contains(": " + end)).count();
  }

  @Test
  void whereIndependentTransactionsRunAReadTakesItsTurn() throws IOException {
    readOnceAndPropose(70, 77, 60);
    nodes.get(0).shows("r 0 0 -1", "r 1 0 77 pu:1/1,2");
    nodes.get(1).shows("r 0 0 5", "r 0 0 77");
    nodes.get(2).shows("r 0 0 5", "r 0 0 77");
    int before = told().size();
    readAllAndEnd();
    assertEquals(3, gatesEntered(), log.toString());
    assertEquals(4, told().size() - before, "the rows of one round are told");
    assertEquals(3, logged(PROPOSE), log.toString());
    assertEquals(0, logged("freeze"), "nothing is left to settle");
    assertEquals(4, nodes.get(0).asked(), "for locks, behind the gate, and in two rounds");
    readAllAndEnd();
    assertEquals(6, logged(PROPOSE), "the next one takes its turn at once");
    assertEquals(5, nodes.get(0).asked());
  }

  @Test
  void aReadWhoseTurnHasNotComePassesTheGatesAndLeavesNoPlace() throws IOException {
    readOnceAndPropose(70, 77, 60);
    nodes.get(0).shows("r 0 0 -1", "r 0 0 77");
    nodes.get(1).shows("r 0 0 5", "r 0 0 -1");
    nodes.get(2).shows("r 0 0 5", "r 0 0 77");
    readAllAndEnd();
    assertEquals(6, gatesEntered(), log.toString());
    assertEquals(3, logged("freeze"), log.toString());
    assertEquals(3, logged("cancel"), log.toString());
  }

  @Test
  void aReadThatIsRefusedByALanePassesTheGates() throws IOException {
    nodes.forEach(node -> node.shows("r 0 0 -1"));
    readAllAndEnd();
    propose(70, -2, 60);
    readAllAndEnd();
    assertEquals(6, gatesEntered(), log.toString());
    assertEquals(3, logged("cancel"), log.toString());
  }

  @Test
  void lanesThatRestAtDifferentTimestampsAreMadeEven() throws IOException {
    nodes.forEach(node -> node.shows("r 0 0 0"));
    readAllAndEnd();
    nodes.get(0).shows("r 0 0 7", "r 0 0 9");
    nodes.get(1).shows("r 0 0 9");
    nodes.get(2).shows("r 0 0 9");
    readAllAndEnd();
    assertEquals(3, gatesEntered(), log.toString());
    assertEquals(3, logged("advance"), log.toString());
    assertEquals(0, logged(PROPOSE));
  }

  /** Somebody holds a gate, and lets the lanes rest meanwhile. */
  @Test
  void aReadThatMayNotProposeLooksOnceMoreWhetherItHasTo() throws IOException {
    readOnceAndPropose(70, -4, 60);
    nodes.get(0).shows("r 0 0 -1", "r 0 0 70");
    nodes.get(1).shows("r 0 0 70");
    nodes.get(2).shows("r 0 0 70");
    readAllAndEnd();
    assertEquals(3, gatesEntered(), log.toString());
    assertEquals(3, logged("freeze"), log.toString());
    readAllAndEnd();
    assertEquals(3, logged(PROPOSE), "nor does the next one");
  }

  private long gatesEntered() {
    return log.stream().filter(line -> line.endsWith(GATE)).count();
  }

  private void readAll() throws IOException {
    String sql = "SELECT a FROM t";
    for (ScriptedNode node : nodes) {
      node.answer(sql, "SELECT", "a");
    }
    Execution execution =
        bind(
            sql, "{\"kind\": \"select\", \"returns_rows\": true}", scatter(MergeFacts.Mode.CONCAT));
    assertEquals(Progress.NEXT, execution.execute(0));
    answer();
  }

  @Test
  void rowLimitsGoOnWhereTheyEnded() throws IOException {
    String sql = "SELECT a FROM t";
    nodes.get(0).answer(sql, "SELECT", "1a", "1b");
    nodes.get(1).answer(sql, "SELECT");
    nodes.get(2).answer(sql, "SELECT", "3a");
    Execution execution =
        bind(
            sql, "{\"kind\": \"select\", \"returns_rows\": true}", scatter(MergeFacts.Mode.CONCAT));
    answer();
    assertTrue(execution.runsQuiet(1));
    for (int i = 0; i < 4; i++) {
      assertEquals(Progress.BARRIER, execution.execute(1));
      answer();
    }
    assertEquals(
        List.of("1a", "suspended", "1b", "suspended", "3a", "suspended", "SELECT 0"), told());
  }

  @Test
  void gatheredRowsAreFinishedOnOneNodeAndGivenUp() throws IOException {
    for (ScriptedNode node : nodes) {
      node.answer("worker", "SELECT", "w");
      node.answer("final", "SELECT", "sum");
    }
    long before = memory.used();
    Execution execution =
        bind(
            "SELECT sum(a) FROM t",
            "{\"kind\": \"select\", \"returns_rows\": true}",
            scatter(MergeFacts.Mode.COMBINE));
    assertInstanceOf(SingleNodeExecution.class, execution);
    assertTrue(memory.used() <= before + (1 << 14), "the rows are given up");
    execution.execute(0);
    answer();
    assertEquals(3, ran().stream().filter(line -> line.endsWith(": worker")).count());
    assertEquals(
        1, ran().stream().filter(line -> line.endsWith(": final ({\"w\",\"w\",\"w\"})")).count());
    assertEquals(List.of("sum", "SELECT 1"), told());
  }

  @Test
  void whenAWorkerFailsNothingIsFinished() throws IOException {
    nodes.get(2).fail("worker", "22012");
    assertNull(
        bind(
            "SELECT sum(a) FROM t",
            "{\"kind\": \"select\", \"returns_rows\": true}",
            scatter(MergeFacts.Mode.COMBINE)));
    assertEquals(List.of("22012"), errors);
    assertFalse(ran().stream().anyMatch(line -> line.contains(": final")));
  }

  @Test
  void nodeByNodeTheFirstErrorEndsIt() throws IOException {
    nodes.get(1).fail("VACUUM", "57014");
    Execution execution =
        bind(
            "VACUUM",
            "{\"kind\": \"utility\", \"utility\": \"vacuum\", \"tag\": \"VACUUM\"}",
            new Route.AllNodes(Route.Purpose.NODE_BY_NODE));
    replies.run();
    assertTrue(execution.runsQuiet(0));
    ClientError error = assertThrows(ClientError.class, () -> execution.execute(0));
    assertEquals("57014", error.fields().sqlState());
    assertEquals(List.of("1: VACUUM", "2: VACUUM"), ran());
  }

  @Test
  void inABlockTheFirstNodeRefusesWhatMustBeAlone() throws IOException {
    transaction.beginBlock(NodeStatement.of("BEGIN"), null);
    nodes.get(0).fail("VACUUM", "25001");
    Execution execution =
        bind(
            "VACUUM",
            "{\"kind\": \"utility\", \"utility\": \"vacuum\", \"tag\": \"VACUUM\","
                + " \"outside_transaction\": true}",
            new Route.AllNodes(Route.Purpose.NODE_BY_NODE));
    execution.execute(0);
    answer();
    assertEquals(List.of("25001"), errors);
    assertEquals(List.of("1: BEGIN", "1: VACUUM"), ran());
  }
}
