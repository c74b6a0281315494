package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads with LIMIT and no order: rows lie on three nodes, and any will do. */
class LimitExecutionTest extends ScriptedCluster {
  private static final String READ = "SELECT a FROM t LIMIT 2";
  private static final String FACTS =
      "{\"kind\": \"select\", \"returns_rows\": true,"
          + " \"relations\": [{\"schema\": \"public\", \"name\": \"t\"}]}";

  private BoundStatement bound;

  @BeforeEach
  void wantAllRows() {
    runsToEnd = true;
    bound = bound(READ, FACTS);
    for (int i = 1; i <= 3; i++) {
      nodes.get(i - 1).answer(READ, "SELECT", i + "a", i + "b");
    }
  }

  private static Route.Scatter route(String text) {
    MergeFacts.Window window =
        new MergeFacts.Window(
            new Value.Constant("2", 20, -1), new Value.Constant("0", 20, -1), text);
    MergeFacts limited = merge(MergeFacts.Mode.COMBINE, new MergeFacts.Finish(window));
    return new Route.Scatter(List.of(1, 2, 3), limited, new Route.Window(0, 2));
  }

  /** Runs it as often as it asks to be run again, as a group of its own. */
  private Execution run(Route route) throws IOException {
    Execution execution = new Executor(context).bind(bound, route);
    for (Progress progress = Progress.QUIET; progress == Progress.QUIET; ) {
      progress = execution.execute(0);
      answer();
    }
    endGroup();
    return execution;
  }

  private Execution run() throws IOException {
    return run(route(null));
  }

  private List<String> asked() {
    List<String> asked = ran().stream().filter(line -> line.endsWith(": " + READ)).toList();
    log.clear();
    return asked;
  }

  /** What the client has got since the last time. */
  private List<String> toldNow() {
    List<String> told = told();
    context.replies().output().rewind(0);
    return told;
  }

  @Test
  void whereEachNodeHadAllOneIsAskedInItsTurn() throws IOException {
    run();
    assertEquals(3, asked().size());
    assertEquals(List.of("1a", "1b", "SELECT 2"), toldNow());
    for (int i = 1; i <= 4; i++) {
      assertInstanceOf(LimitExecution.class, run());
      int node = (i - 1) % 3 + 1;
      assertEquals(List.of(node + ": " + READ), asked());
      assertEquals(List.of(node + "a", node + "b", "SELECT 2"), toldNow());
    }
  }

  @Test
  void whereOneNodeHadTooFewAllAreAsked() throws IOException {
    nodes.get(2).answer(READ, "SELECT", "3a");
    for (int i = 0; i < 3; i++) {
      assertInstanceOf(ScatterExecution.class, run());
      assertEquals(3, asked().size());
      assertEquals(List.of("1a", "1b", "SELECT 2"), toldNow());
    }
  }

  @Test
  void whenItHasTooFewItsRowsAreNotToldAndAllRunItAnew() throws IOException {
    run();
    asked();
    toldNow();
    nodes.get(0).answer(READ, "SELECT", "1c");
    run();
    assertEquals(4, asked().size());
    assertEquals(List.of("1c", "2a", "SELECT 2"), toldNow());
  }

  @Test
  void missesEndItAndHitsOfAllBeginItAgain() throws IOException {
    run();
    nodes.forEach(node -> node.answer(READ, "SELECT"));
    run();
    run();
    assertInstanceOf(ScatterExecution.class, run());
    nodes.forEach(node -> node.answer(READ, "SELECT", "a", "b"));
    int times = 0;
    while (run() instanceof ScatterExecution) {
      times++;
    }
    assertTrue(times > 1 && times < 30, () -> "after a number of hits");
  }

  @Test
  void aReadThatIsAllOfItsGroupIsRunAgainWithIt() throws IOException {
    run();
    asked();
    toldNow();
    nodes.get(0).answer(READ, "SELECT", "1c");
    context.retry().beginGroup();
    Execution execution = new Executor(context).bind(bound, route(null));
    assertEquals(Progress.NEXT, execution.execute(0), "its Sync need not wait");
    answer();
    assertTrue(context.retry().isWanted());
    assertEquals(List.of(), toldNow());
    endGroup();
    replies.beginGroup();
    assertInstanceOf(ScatterExecution.class, run(), "not one node once more");
    assertEquals(List.of("1c", "2a", "SELECT 2"), toldNow());
  }

  @Test
  void aNodeOfTheTransactionIsAskedFirst() throws IOException {
    run();
    transaction.beginBlock(NodeStatement.of("BEGIN"), null);
    context.transactions().enter(backends.backend(catalog, 2), false);
    answer();
    asked();
    toldNow();
    run();
    assertEquals(List.of("2: " + READ), asked());
    assertFalse(backends.backend(catalog, 1).begun, "no other node takes part");
  }

  @Test
  void rowsAreNeverTakenFromOneNodeWhereThereIsAnOffset() throws IOException {
    for (int i = 0; i < 3; i++) {
      assertInstanceOf(ScatterExecution.class, run(route(READ)));
    }
  }

  @Test
  void aClientThatTakesPortionsGetsThemFromAllNodes() throws IOException {
    run();
    runsToEnd = false;
    assertInstanceOf(ScatterExecution.class, run());
  }

  @Test
  void rowsOfManyBytesAreAskedOfAll() throws IOException {
    String wide = "x".repeat(5000);
    run();
    toldNow();
    nodes.forEach(
        node -> node.answer(READ, "SELECT", Collections.nCopies(10, wide).toArray(String[]::new)));
    Route ten = new Route.Scatter(List.of(1, 2, 3), route(null).merge(), new Route.Window(0, 10));
    Execution first = new Executor(context).bind(bound, ten);
    assertEquals(Progress.QUIET, first.execute(0));
    answer();
    assertEquals(List.of(), toldNow(), "they are not kept");
    assertEquals(Progress.NEXT, first.execute(0));
    List<String> told = takeAll();
    assertEquals(11, told.size());
    assertEquals("SELECT 10", told.get(10));
    assertInstanceOf(ScatterExecution.class, new Executor(context).bind(bound, ten), "never again");
  }

  /** As a client does that takes what there is whenever the router waits for it. */
  private List<String> takeAll() throws IOException {
    backends.requestAnswers();
    List<String> told = new ArrayList<>();
    while (!replies.isEmpty()) {
      replies.run();
      told.addAll(toldNow());
    }
    return told;
  }

  @Test
  void anErrorOfTheNodeIsTold() throws IOException {
    run();
    toldNow();
    nodes.get(0).fail(READ, "22012");
    Execution execution = new Executor(context).bind(bound, route(null));
    assertEquals(Progress.QUIET, execution.execute(0));
    answer();
    assertEquals(List.of("22012"), errors);
    assertEquals(List.of(), toldNow());
  }
}
