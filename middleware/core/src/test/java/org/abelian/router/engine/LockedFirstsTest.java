package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.util.List;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.routing.Route;
import org.junit.jupiter.api.Test;

/** Rows that nodes lock as their own first ones, of which the first ones of all are wanted. */
class LockedFirstsTest extends ScriptedCluster {
  private static final String SQL = "SELECT a FROM t ORDER BY a LIMIT 2 FOR UPDATE";
  private static final String FACTS =
      "{\"kind\": \"select\", \"returns_rows\": true, \"relations\": [{\"id\": 0, \"schema\":"
          + " \"s\", \"name\": \"t\", \"locking\": \"update\"}]}";
  private static final String NAME = "SAVEPOINT \"abelian locks first rows\"";

  private Execution bindAll() throws IOException {
    MergeFacts merge =
        new MergeFacts(
            MergeFacts.Mode.COMBINE,
            "worker",
            null,
            "final",
            List.of(23),
            List.of(1007),
            List.of(),
            false,
            false,
            new MergeFacts.Taken("taken", false),
            null,
            null,
            null);
    return bind(SQL, FACTS, new Route.Scatter(List.of(1, 2, 3), merge));
  }

  private List<String> savepoints() {
    return ran().stream().filter(line -> line.contains("SAVEPOINT")).toList();
  }

  @Test
  void aNodeWithoutAnyOfThemGoesBack() throws IOException {
    context.transactions().openImplicit();
    nodes.get(0).answer("worker", "SELECT", "4", "5");
    nodes.get(1).answer("worker", "SELECT", "7", "8");
    nodes.get(2).answer("worker", "SELECT", "3", "9");
    nodes.get(0).answer("taken", "SELECT", "5", "1");
    nodes.get(0).answer("final", "SELECT", "3", "4");
    bindAll().execute(0);
    answer();
    assertEquals(List.of("3", "4", "SELECT 2"), told());
    List<String> ran = ran();
    assertEquals(
        List.of("1: RELEASE " + NAME),
        savepoints().stream().filter(line -> line.startsWith("1: RE")).toList());
    assertEquals(
        List.of("2: " + NAME, "2: ROLLBACK TO " + NAME, "2: RELEASE " + NAME),
        savepoints().stream().filter(line -> line.startsWith("2: ")).toList());
    assertFalse(savepoints().contains("3: ROLLBACK TO " + NAME), ran.toString());
    assertEquals(
        List.of("1: final ({\"4\",\"3\"})"),
        ran.stream().filter(line -> line.contains("final")).toList());
  }

  @Test
  void whereOneNodeHasAllNobodyAsksWhichTheyAre() throws IOException {
    context.transactions().openImplicit();
    nodes.get(1).answer("worker", "SELECT", "7", "8");
    bindAll().execute(0);
    answer();
    assertFalse(ran().stream().anyMatch(line -> line.contains("taken")), ran().toString());
    assertFalse(savepoints().contains("2: ROLLBACK TO " + NAME), ran().toString());
  }

  @Test
  void locksThatEndWithTheStatementAreNotReleasedBefore() throws IOException {
    nodes.forEach(node -> node.answer("worker", "SELECT", "7", "8"));
    bindAll().execute(0);
    answer();
    assertEquals(List.of(), savepoints());
  }

  @Test
  void whereANodeFailsNothingIsReleased() throws IOException {
    context.transactions().openImplicit();
    nodes.forEach(node -> node.answer("worker", "SELECT", "7"));
    nodes.get(1).fail("worker", "55P03");
    assertNull(bindAll());
    assertEquals(List.of("55P03"), errors);
    assertFalse(savepoints().stream().anyMatch(line -> line.contains("RELEASE")), ran().toString());
  }
}
