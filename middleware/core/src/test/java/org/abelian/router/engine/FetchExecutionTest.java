package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.abelian.router.analysis.FetchFacts;
import org.abelian.router.analysis.FetchFacts.Direction;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.execution.ClientError;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.Route;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** FETCH and MOVE in a cursor over three nodes, of which the second one has no rows. */
class FetchExecutionTest extends ScriptedCluster {
  private static final String SQL = "SELECT x FROM t";
  private static final String FACTS = "{\"kind\": \"select\", \"returns_rows\": true}";

  private ScatterExecution cursor;

  @BeforeEach
  void declare() throws IOException {
    nodes.get(0).answer(SQL, "SELECT", "1", "2", "3");
    nodes.get(1).answer(SQL, "SELECT");
    nodes.get(2).answer(SQL, "SELECT", "4", "5");
    transaction.beginBlock(NodeStatement.of("BEGIN"), null);
    cursor =
        (ScatterExecution)
            bind(SQL, FACTS, new Route.Scatter(List.of(1, 2, 3), MergeFacts.concat()));
    answer();
  }

  private FetchExecution of(Direction direction, long count, boolean moves) {
    return new FetchExecution(context, cursor, new FetchFacts(direction, count, moves));
  }

  private void run(Execution execution, int limit) throws IOException {
    execution.execute(limit);
    execution.ran();
    answer();
  }

  /** What the client was told last. */
  private List<String> told(int last) {
    List<String> told = told();
    return told.subList(told.size() - last, told.size());
  }

  private void fetch(Direction direction, long count) throws IOException {
    run(of(direction, count, false), 0);
  }

  @Test
  void rowsThatArePassedOverAreNotTold() throws IOException {
    fetch(Direction.RELATIVE, 2);
    assertEquals(List.of("2", "FETCH 1"), told());
    fetch(Direction.ABSOLUTE, 4);
    assertEquals(List.of("4", "FETCH 1"), told(2));
    fetch(Direction.ABSOLUTE, 9);
    assertEquals(List.of("FETCH 0"), told(1));
    fetch(Direction.FORWARD, FetchFacts.ALL);
    assertEquals(List.of("FETCH 0"), told(1));
  }

  @Test
  void aMoveCountsTheRowsThatAFetchWouldGive() throws IOException {
    run(of(Direction.FORWARD, 2, true), 0);
    run(of(Direction.FORWARD, 0, true), 0);
    run(of(Direction.ABSOLUTE, 5, true), 0);
    run(of(Direction.RELATIVE, 1, true), 0);
    assertEquals(List.of("MOVE 2", "MOVE 1", "MOVE 1", "MOVE 0"), told());
  }

  @Test
  void whatIsBehindIsRefusedAndThePlaceStays() throws IOException {
    fetch(Direction.FORWARD, 2);
    for (FetchExecution back :
        List.of(
            of(Direction.BACKWARD, 1, false),
            of(Direction.FORWARD, -1, false),
            of(Direction.ABSOLUTE, 2, false),
            of(Direction.ABSOLUTE, -1, false),
            of(Direction.RELATIVE, -1, true),
            of(Direction.FORWARD, 0, false))) {
      ClientError refusal = assertThrows(ClientError.class, () -> back.execute(0));
      assertEquals("55000", refusal.fields().sqlState());
    }
    fetch(Direction.BACKWARD, -1);
    assertEquals(List.of("3", "FETCH 1"), told(2));
  }

  @Test
  void aFetchRunsToItsEndThoughItsRowsComeInPortions() throws IOException {
    FetchExecution portions = of(Direction.FORWARD, 4, false);
    run(portions, 3);
    assertEquals(List.of("1", "2", "3", "suspended"), told());
    fetch(Direction.FORWARD, 1);
    assertEquals(List.of("5", "FETCH 1"), told(2));
    run(portions, 3);
    assertEquals(List.of("4", "FETCH 1"), told(2));
    run(portions, 3);
    assertEquals(List.of("FETCH 0"), told(1));
  }

  @Test
  void rowsThatNobodyTakesAreGivenUp() throws IOException {
    long before = memory.used();
    FetchExecution portions = of(Direction.FORWARD, 5, false);
    run(portions, 1);
    assertTrue(memory.used() > before, memory::toString);
    portions.free();
    assertEquals(before, memory.used());
  }

  @Test
  void aFetchOfAsManyRowsAsWantedEndsWithTheNextMessage() throws IOException {
    FetchExecution all = of(Direction.FORWARD, FetchFacts.ALL, false);
    run(all, 5);
    assertEquals(List.of("1", "2", "3", "4", "5", "suspended"), told());
    run(all, 5);
    assertEquals(List.of("FETCH 0"), told(1));
  }
}
