package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
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

/** INSERT of rows that belong to several nodes, given or selected. */
class InsertExecutionTest extends ScriptedCluster {
  private static final String SELECTED = "INSERT INTO t SELECT a, b FROM s";
  private static final String FACTS = "{\"kind\": \"insert\"}";
  private static final String RETURNING = "{\"kind\": \"insert\", \"returns_rows\": true}";

  @Test
  void eachNodeGetsItsPartAndCountsAreAdded() throws IOException {
    nodes.get(0).answer("INSERT one", "INSERT 0 2");
    nodes.get(2).answer("INSERT three", "INSERT 0 1");
    Execution execution = bind("INSERT all", FACTS, split(List.of(0, 1, 0)));
    assertEquals(Progress.NEXT, execution.execute(0));
    answer();
    assertEquals(
        List.of("1: BEGIN", "1: INSERT one"),
        ran().stream().filter(line -> line.startsWith("1")).toList());
    assertFalse(ran().stream().anyMatch(line -> line.startsWith("2")), ran().toString());
    assertEquals(List.of("INSERT 0 3"), told());
    assertEquals(TransactionState.Kind.IMPLICIT, transaction.kind());
  }

  @Test
  void whatIsReturnedComesInTheOrderOfTheRows() throws IOException {
    nodes.get(0).answer("INSERT one", "INSERT 0 2", "first", "third");
    nodes.get(2).answer("INSERT three", "INSERT 0 1", "second");
    Execution execution = bind("INSERT all", RETURNING, split(List.of(0, 1, 0)));
    execution.execute(0);
    answer();
    assertEquals(List.of("first", "second", "third", "INSERT 0 3"), told());
  }

  private static Route.Split split(List<Integer> order) {
    return new Route.Split(
        List.of(new Route.Part(1, "INSERT one"), new Route.Part(3, "INSERT three")), order);
  }

  @Test
  void selectedRowsGoToTheirNodesWhenAllAreThere() throws IOException {
    nodes.get(0).answer("SELECT rows", "SELECT", "1|x", "3|null");
    nodes.get(1).answer("SELECT rows", "SELECT");
    nodes.get(2).answer("SELECT rows", "SELECT", "1|y");
    nodes.get(0).answer("INSERT rows", "INSERT 0 2");
    nodes.get(2).answer("INSERT rows", "INSERT 0 1");
    Execution execution = bind(SELECTED, FACTS, gathered(first -> first[0][0] - '0'));
    assertInstanceOf(WriteExecution.class, execution);
    execution.execute(0);
    answer();
    List<String> ran = new ArrayList<>(ran());
    int firstInsert = ran.indexOf("1: INSERT rows ({\"1\",\"1\"}, {\"x\",\"y\"})");
    assertTrue(firstInsert >= 0, ran.toString());
    assertTrue(ran.contains("3: INSERT rows ({\"3\"}, {NULL})"), ran.toString());
    assertEquals(3, ran.subList(0, firstInsert).stream().filter(this::selects).count());
    assertEquals(List.of("INSERT 0 3"), told());
  }

  private boolean selects(String line) {
    return line.endsWith(": SELECT rows");
  }

  @Test
  void noSelectedRowsAreInsertedByOneNode() throws IOException {
    nodes.forEach(node -> node.answer("SELECT rows", "SELECT"));
    nodes.get(0).answer("INSERT rows", "INSERT 0 0");
    bind(SELECTED, FACTS, gathered(row -> 2)).execute(0);
    answer();
    assertEquals(1, ran().stream().filter(line -> line.contains("INSERT rows")).count());
    assertEquals(List.of("INSERT 0 0"), told());
  }

  @Test
  void whenANodeCannotSelectNothingIsInserted() throws IOException {
    nodes.get(1).fail("SELECT rows", "22012");
    assertNull(bind(SELECTED, FACTS, gathered(row -> 1)));
    assertEquals(List.of("22012"), errors);
    assertFalse(ran().stream().anyMatch(line -> line.contains("INSERT")), ran().toString());
  }

  @Test
  void aRowWithoutANodeRefusesAllOfThem() {
    nodes.forEach(node -> node.answer("SELECT rows", "SELECT", "1|x"));
    long before = memory.used();
    Route.GatheredInsert route =
        gathered(
            row -> {
              throw new AbelianException(SqlState.NOT_NULL_VIOLATION, "null value", null);
            });
    assertThrows(AbelianException.class, () -> bind(SELECTED, FACTS, route));
    assertEquals(before, memory.used(), "the rows are given up");
    assertFalse(ran().stream().anyMatch(line -> line.contains("INSERT")), ran().toString());
  }

  private static Route.GatheredInsert gathered(Route.RowHome home) {
    GatheredFacts facts =
        new GatheredFacts(
            "SELECT rows",
            FactsParser.parse("[{\"kind\": \"select\", \"returns_rows\": true}]").get(0),
            "INSERT rows",
            FactsParser.parse("[{\"kind\": \"insert\", \"parameters\": [1009, 1009]}]").get(0),
            List.of(),
            null,
            null);
    Route.Scatter source = new Route.Scatter(List.of(1, 2, 3), MergeFacts.concat());
    return new Route.GatheredInsert(source, facts, List.of(1, 2, 3), home);
  }
}
