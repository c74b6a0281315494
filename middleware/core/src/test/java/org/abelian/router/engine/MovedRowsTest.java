package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.FactsParser;
import org.abelian.router.analysis.GatheredFacts;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.session.TransactionState;
import org.junit.jupiter.api.Test;

/** UPDATE of distribution columns: rows are deleted, and inserted where they belong then. */
class MovedRowsTest extends ScriptedCluster {
  private static final String SQL = "UPDATE t SET k = k + 1";
  private static final String FACTS = "{\"kind\": \"update\", \"tag\": \"UPDATE\"}";
  private static final String RETURNING =
      "{\"kind\": \"update\", \"tag\": \"UPDATE\", \"returns_rows\": true}";

  private static final Route EVERYWHERE = new Route.ScatterWrite(List.of(1, 2, 3));

  @Test
  void allRowsAreDeletedBeforeAnyIsInserted() throws IOException {
    nodes.get(0).answer("DELETE rows", "DELETE 1", "3|x");
    nodes.get(1).answer("DELETE rows", "DELETE 0");
    nodes.get(2).answer("DELETE rows", "DELETE 2", "1|y", "3|null");
    nodes.get(0).answer("INSERT rows", "INSERT 0 1");
    nodes.get(2).answer("INSERT rows", "INSERT 0 2");
    Execution execution = bind(SQL, FACTS, moved(EVERYWHERE, row -> row[0][0] - '0'));
    assertFalse(ran().stream().anyMatch(line -> line.contains("DELETE")), "not yet executed");
    run(execution);
    List<String> ran = new ArrayList<>(ran());
    int first = ran.indexOf("1: INSERT rows ({\"1\"}, {\"y\"})");
    assertTrue(first >= 0, ran.toString());
    assertTrue(ran.contains("3: INSERT rows ({\"3\",\"3\"}, {\"x\",NULL})"), ran.toString());
    assertEquals(
        3, ran.subList(0, first).stream().filter(one -> one.endsWith(": DELETE rows")).count());
    assertEquals(List.of("UPDATE 3"), told());
    assertEquals(TransactionState.Kind.IMPLICIT, transaction.kind());
  }

  @Test
  void whatIsReturnedIsThatOfTheNewRows() throws IOException {
    nodes.get(1).answer("DELETE rows", "DELETE 2", "3|x", "1|y");
    nodes.get(0).answer("INSERT rows", "INSERT 0 1", "second");
    nodes.get(2).answer("INSERT rows", "INSERT 0 1", "first");
    Route one = new Route.OneNode(2);
    run(bind(SQL, RETURNING, moved(one, row -> row[0][0] - '0')));
    assertEquals(List.of("first", "second", "UPDATE 2"), told());
  }

  @Test
  void withoutRowsNothingIsInserted() throws IOException {
    nodes.forEach(node -> node.answer("DELETE rows", "DELETE 0"));
    run(bind(SQL, FACTS, moved(EVERYWHERE, row -> 2)));
    assertFalse(ran().stream().anyMatch(line -> line.contains("INSERT")), ran().toString());
    assertEquals(List.of("UPDATE 0"), told());
  }

  @Test
  void rowsOfOtherNodesAreGatheredFirst() throws IOException {
    MergeFacts merge =
        new MergeFacts(
            MergeFacts.Mode.COMBINE,
            "SELECT rows",
            null,
            "DELETE by rows",
            List.of(23, 23),
            List.of(1007),
            List.of(1),
            false,
            true,
            null,
            "joined",
            null,
            null);
    nodes.forEach(node -> node.answer("SELECT rows", "SELECT", "0|7"));
    nodes.get(1).answer("DELETE by rows", "DELETE 1", "3|x");
    nodes.get(2).answer("INSERT rows", "INSERT 0 1");
    Route.Scatter read = new Route.Scatter(List.of(1, 2, 3), merge);
    Route source = new Route.GatheredWrite(read, List.of(2), false);
    run(bind(SQL, FACTS, moved(source, row -> 3)));
    assertTrue(ran().contains("2: DELETE by rows ({\"7\",\"7\",\"7\"})"), ran().toString());
    assertTrue(ran().contains("3: INSERT rows ({\"3\"}, {\"x\"})"), ran().toString());
    assertEquals(List.of("UPDATE 1"), told());
  }

  @Test
  void whenANodeFailsNothingIsInserted() throws IOException {
    nodes.get(0).answer("DELETE rows", "DELETE 1", "1|x");
    nodes.get(1).fail("DELETE rows", "22012");
    nodes.get(2).answer("DELETE rows", "DELETE 1", "1|x");
    Execution execution = bind(SQL, FACTS, moved(EVERYWHERE, row -> 1));
    assertEquals(Progress.BARRIER, executed(execution));
    assertEquals(List.of("22012"), errors);
    assertFalse(ran().stream().anyMatch(line -> line.contains("INSERT")), ran().toString());
  }

  @Test
  void aRowWithoutANodeRefusesAllOfThem() throws IOException {
    nodes.forEach(node -> node.answer("DELETE rows", "DELETE 1", "1|x"));
    long before = memory.used();
    Route.MovedRows route =
        moved(
            EVERYWHERE,
            row -> {
              throw new AbelianException(SqlState.NOT_NULL_VIOLATION, "null value", null);
            });
    Execution execution = bind(SQL, FACTS, route);
    assertThrows(AbelianException.class, () -> executed(execution));
    assertEquals(before, memory.used(), "the rows are given up");
    assertFalse(ran().stream().anyMatch(line -> line.contains("INSERT")), ran().toString());
  }

  private void run(Execution execution) throws IOException {
    assertEquals(Progress.NEXT, executed(execution));
    answer();
  }

  /** What was sent before is answered first. */
  private Progress executed(Execution execution) throws IOException {
    assertEquals(Progress.QUIET, execution.execute(0));
    answer();
    return execution.execute(0);
  }

  private static Route.MovedRows moved(Route source, Route.RowHome home) {
    GatheredFacts facts =
        new GatheredFacts(
            "DELETE rows",
            FactsParser.parse("[{\"kind\": \"delete\", \"returns_rows\": true}]").get(0),
            "INSERT rows",
            FactsParser.parse("[{\"kind\": \"insert\", \"parameters\": [1009, 1009]}]").get(0),
            List.of(),
            null,
            null);
    return new Route.MovedRows(source, facts, List.of(1, 2, 3), home);
  }
}
