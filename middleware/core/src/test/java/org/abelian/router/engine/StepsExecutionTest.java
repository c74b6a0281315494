package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.abelian.router.analysis.FactsParser;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.session.TransactionState;
import org.junit.jupiter.api.Test;

/** A MERGE that is several changes, one after the other. */
class StepsExecutionTest extends ScriptedCluster {
  private static final String FACTS = "{\"kind\": \"merge\", \"tag\": \"MERGE\"}";
  private static final Route.Steps STEPS =
      new Route.Steps(
          List.of(
              step("UPDATE matched", "update", new Route.ScatterWrite(List.of(1, 2, 3))),
              step("DELETE others", "delete", new Route.ScatterWrite(List.of(1, 3)))));

  private static Route.Step step(String sql, String kind, Route route) {
    return new Route.Step(sql, FactsParser.parse("[{\"kind\": \"" + kind + "\"}]").get(0), route);
  }

  @Test
  void eachChangeBeginsWhenThoseBeforeHaveEndedAndTheClientGetsTheSum() throws IOException {
    nodes.forEach(node -> node.answer("UPDATE matched", "UPDATE 2"));
    nodes.forEach(node -> node.answer("DELETE others", "DELETE 1"));
    Execution execution = bind("MERGE", FACTS, STEPS);
    assertFalse(ran().stream().anyMatch(line -> line.contains("matched")), "not yet executed");
    assertEquals(Progress.NEXT, executed(execution));
    answer();
    List<String> ran = ran();
    for (int id = 1; id <= 3; id++) {
      int update = ran.indexOf(id + ": UPDATE matched");
      assertTrue(update >= 0 && update < ran.indexOf("1: DELETE others"), ran.toString());
    }
    assertFalse(ran.contains("2: DELETE others"), ran.toString());
    assertEquals(List.of("MERGE 8"), told());
    assertEquals(TransactionState.Kind.IMPLICIT, transaction.kind());
  }

  @Test
  void whenOneFailsNoOtherBegins() throws IOException {
    nodes.forEach(node -> node.answer("UPDATE matched", "UPDATE 2"));
    nodes.get(1).fail("UPDATE matched", "23514");
    assertEquals(Progress.BARRIER, executed(bind("MERGE", FACTS, STEPS)));
    assertEquals(List.of("23514"), errors);
    assertFalse(ran().stream().anyMatch(line -> line.contains("others")), ran().toString());
    assertEquals(List.of(), told());
  }

  /** What was sent before is answered first. */
  private Progress executed(Execution execution) throws IOException {
    assertEquals(Progress.QUIET, execution.execute(0));
    answer();
    return execution.execute(0);
  }
}
