package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.abelian.router.analysis.FactsParser;
import org.abelian.router.analysis.GatheredFacts;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.junit.jupiter.api.Test;

/** CREATE TABLE AS of rows of several nodes. */
class GatheredTableTest extends ScriptedCluster {
  private static final String FACTS =
      "{\"kind\": \"utility\", \"utility\": \"ddl\", \"tag\": \"CREATE TABLE AS\"}";
  private static final Route EVERYWHERE = new Route.AllNodes(Route.Purpose.SCHEMA);
  private static final Route FIRST = new Route.OneNode(1);

  @Test
  void theFirstNodeMakesTheTableBeforeTheOthersAndGetsTheRows() throws IOException {
    nodes.forEach(node -> node.answer("CREATE empty", "CREATE TABLE"));
    nodes.get(0).answer("SELECT rows", "SELECT 1", "a");
    nodes.get(1).answer("SELECT rows", "SELECT 0");
    nodes.get(2).answer("SELECT rows", "SELECT 1", "c");
    nodes.get(0).answer("INSERT rows", "INSERT 0 2");
    assertEquals(Progress.BARRIER, executed(table(EVERYWHERE)));
    answer();
    List<String> ran = ran();
    int first = ran.indexOf("1: CREATE empty");
    assertTrue(first >= 0, ran.toString());
    assertTrue(first < ran.indexOf("2: CREATE empty"), ran.toString());
    assertTrue(ran.contains("3: CREATE empty"), ran.toString());
    assertTrue(ran.contains("1: INSERT rows ({\"a\",\"c\"})"), ran.toString());
    assertEquals(1, ran.stream().filter(line -> line.contains("INSERT rows")).count());
    assertEquals(List.of("SELECT 2"), told());
  }

  @Test
  void aTemporaryTableIsOnTheFirstNodeAlone() throws IOException {
    nodes.get(0).answer("CREATE empty", "CREATE TABLE");
    nodes.forEach(node -> node.answer("SELECT rows", "SELECT 0"));
    assertEquals(Progress.BARRIER, executed(table(FIRST)));
    answer();
    assertFalse(ran().contains("2: CREATE empty"), ran().toString());
    assertFalse(ran().stream().anyMatch(line -> line.contains("INSERT")), "there are no rows");
    assertEquals(List.of("SELECT 0"), told());
  }

  @Test
  void whatTheFirstNodeRefusesTheOthersAreNotAsked() throws IOException {
    nodes.get(0).fail("CREATE empty", "42P07");
    assertEquals(Progress.BARRIER, executed(table(EVERYWHERE)));
    assertEquals(List.of("42P07"), errors);
    assertEquals(List.of("1: CREATE empty"), ran().stream().filter(this::isOurs).toList());
  }

  private boolean isOurs(String line) {
    return line.contains("CREATE") || line.contains("rows");
  }

  private Execution table(Route creation) throws IOException {
    GatheredFacts facts =
        new GatheredFacts(
            "SELECT rows",
            FactsParser.parse("[{\"kind\": \"select\", \"returns_rows\": true}]").get(0),
            "INSERT rows",
            FactsParser.parse("[{\"kind\": \"insert\", \"parameters\": [1009]}]").get(0),
            List.of(),
            null,
            new GatheredFacts.NewTable("CREATE empty", "public.t", false, null));
    Route.Scatter source = new Route.Scatter(List.of(1, 2, 3), merge(MergeFacts.Mode.CONCAT, null));
    return bind("CREATE TABLE t AS", FACTS, new Route.GatheredTable(source, creation, facts));
  }

  /** What was sent before is answered first. */
  private Progress executed(Execution execution) throws IOException {
    assertEquals(Progress.QUIET, execution.execute(0));
    answer();
    return execution.execute(0);
  }
}
