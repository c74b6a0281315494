package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.routing.Route;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One of the nodes that run a statement together fails: the others need not go on. */
@Timeout(30)
class FailedPartTest extends ScriptedCluster {
  private static final String READ =
      "{\"kind\": \"select\", \"returns_rows\": true, \"relations\": [{\"id\": 0, \"schema\":"
          + " \"s\", \"name\": \"t\"}]}";
  private static final String UPDATE = "UPDATE t SET a = 1";

  private Execution gather() throws IOException {
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
            null,
            null,
            null,
            null);
    return bind("SELECT max(a) FROM t", READ, new Route.Scatter(List.of(1, 2, 3), merge));
  }

  private void update() throws IOException {
    bind(UPDATE, "{\"kind\": \"update\"}", new Route.ScatterWrite(List.of(1, 2, 3))).execute(0);
    answer();
  }

  private List<String> cancels() {
    return log.stream().filter(line -> line.endsWith("cancel")).sorted().toList();
  }

  @Test
  void nodesWhoseRowsWouldBeReadBeforeAreCancelled() throws IOException {
    nodes.get(0).hang("worker");
    nodes.get(2).fail("worker", "22012");
    assertNull(gather());
    assertEquals(List.of("22012"), errors);
    assertTrue(cancels().contains("1: cancel"), log.toString());
  }

  @Test
  void nodesWhoseRowsWouldBeReadLaterAreCancelled() throws IOException {
    nodes.get(0).fail("worker", "22012");
    nodes.get(2).hang("worker");
    assertNull(gather());
    assertEquals(List.of("22012"), errors);
    assertTrue(cancels().contains("3: cancel"), log.toString());
  }

  @Test
  void ofAChangeNoNodeIsWaitedForEither() throws IOException {
    nodes.get(0).hang(UPDATE);
    nodes.get(1).answer(UPDATE, "UPDATE 1");
    nodes.get(2).fail(UPDATE, "23505");
    update();
    assertEquals(List.of("23505"), errors);
    assertEquals(List.of(), told());
    assertTrue(cancels().contains("1: cancel"), log.toString());
  }

  @Test
  void aNodeThatGoesAwayIsAFailure() throws IOException {
    nodes.get(0).hang(UPDATE);
    nodes.get(1).leave(UPDATE);
    update();
    assertEquals(1, errors.size(), errors.toString());
    assertTrue(errors.get(0).contains("NodeLost"), errors.toString());
    assertTrue(cancels().contains("1: cancel"), log.toString());
  }

  @Test
  void whereNobodyFailsNobodyIsCancelled() throws IOException {
    nodes.get(0).pause(UPDATE, 200);
    nodes.forEach(node -> node.answer(UPDATE, "UPDATE 1"));
    update();
    assertEquals(List.of("UPDATE 3"), told());
    assertEquals(List.of(), errors);
    assertEquals(List.of(), cancels());
  }

  @Test
  void anErrorBehindTheEndOfAPartIsNotOfIt() throws IOException {
    nodes.get(0).pause(UPDATE, 200);
    nodes.forEach(node -> node.answer(UPDATE, "UPDATE 1"));
    nodes.get(1).fail("DELETE FROM t", "22012");
    bind(UPDATE, "{\"kind\": \"update\"}", new Route.ScatterWrite(List.of(1, 2, 3))).execute(0);
    bind("DELETE FROM t", "{\"kind\": \"delete\"}", new Route.ScatterWrite(List.of(1, 2, 3)))
        .execute(0);
    answer();
    assertEquals(List.of("UPDATE 3"), told());
    assertEquals(List.of("22012"), errors);
  }

  @Test
  void theConnectionIsUsableAfterwards() throws IOException {
    nodes.get(0).hang("worker");
    nodes.get(2).fail("worker", "22012");
    assertNull(gather());
    assertFalse(backends.held().get(0).connection.isLost());
  }
}
