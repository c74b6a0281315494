package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.routing.Route;
import org.abelian.router.session.TransactionState;
import org.junit.jupiter.api.Test;

/** Changes by rows that other nodes give. */
class GatheredWriteTest extends ScriptedCluster {
  private static final String SQL = "UPDATE t SET a = s.a FROM s";
  private static final String FACTS = "{\"kind\": \"update\"}";

  @Test
  void rowsOfAllNodesComeToThoseThatChange() throws IOException {
    nodes.get(0).answer("SELECT rows", "SELECT", "0|1|x");
    nodes.get(1).answer("SELECT rows", "SELECT");
    nodes.get(2).answer("SELECT rows", "SELECT", "0|2|y");
    nodes.get(0).answer("UPDATE rows", "UPDATE 2");
    nodes.get(1).answer("UPDATE rows", "UPDATE 1");
    Execution execution = bind(SQL, FACTS, gathered(List.of(1, 2), false));
    assertInstanceOf(WriteExecution.class, execution);
    execution.execute(0);
    answer();
    List<String> ran = new ArrayList<>(ran());
    String change = "UPDATE rows ({\"1\",\"2\"}, {\"x\",\"y\"})";
    int first = ran.indexOf("1: " + change);
    assertTrue(first >= 0 && ran.contains("2: " + change), ran.toString());
    assertFalse(ran.contains("3: " + change), ran.toString());
    assertEquals(
        3, ran.subList(0, first).stream().filter(one -> one.endsWith(": SELECT rows")).count());
    assertEquals(List.of("UPDATE 3"), told());
    assertEquals(TransactionState.Kind.IMPLICIT, transaction.kind());
  }

  @Test
  void copiesCountOnce() throws IOException {
    nodes.forEach(node -> node.answer("SELECT rows", "SELECT"));
    nodes.forEach(node -> node.answer("UPDATE rows", "UPDATE 4"));
    bind(SQL, FACTS, gathered(List.of(1, 2, 3), true)).execute(0);
    answer();
    assertEquals(List.of("UPDATE 4"), told());
  }

  @Test
  void whenANodeCannotGiveRowsNothingIsChanged() throws IOException {
    nodes.get(1).fail("SELECT rows", "22012");
    assertNull(bind(SQL, FACTS, gathered(List.of(1), false)));
    assertEquals(List.of("22012"), errors);
    assertFalse(ran().stream().anyMatch(line -> line.contains("UPDATE")), ran().toString());
  }

  private static Route.GatheredWrite gathered(List<Integer> changed, boolean copies) {
    MergeFacts merge =
        new MergeFacts(
            MergeFacts.Mode.COMBINE,
            "SELECT rows",
            null,
            "UPDATE rows",
            List.of(23, 23, 25),
            List.of(1007, 1009),
            List.of(2),
            false,
            true,
            null,
            "joined",
            null,
            null);
    return new Route.GatheredWrite(new Route.Scatter(List.of(1, 2, 3), merge), changed, copies);
  }
}
