package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.abelian.router.analysis.FetchFacts;
import org.abelian.router.analysis.FetchFacts.Direction;
import org.abelian.router.execution.ClientError;
import org.junit.jupiter.api.Test;

/** As DoPortalRunFetch counts for a cursor with NO SCROLL. */
class ForwardPositionTest {
  private final ForwardPosition position = new ForwardPosition();

  private ForwardPosition.Way way(Direction direction, long count, boolean moves) {
    return position.way(new FetchFacts(direction, count, moves));
  }

  private void refuses(Direction direction, long count, boolean moves) {
    ClientError refusal =
        assertThrows(ClientError.class, () -> way(direction, count, moves).toString());
    assertEquals("55000", refusal.fields().sqlState());
  }

  private static ForwardPosition.Way way(long skipped, long rows) {
    return new ForwardPosition.Way(skipped, rows, 0);
  }

  @Test
  void beforeTheFirstRow() {
    assertEquals(way(0, 0), way(Direction.FORWARD, 0, false));
    assertEquals(way(0, 0), way(Direction.FORWARD, 0, true));
    assertEquals(way(0, 0), way(Direction.ABSOLUTE, 0, false));
    assertEquals(way(0, 0), way(Direction.BACKWARD, FetchFacts.ALL, true));
    assertEquals(way(6, 1), way(Direction.ABSOLUTE, 7, false));
    assertEquals(way(0, FetchFacts.ALL), way(Direction.FORWARD, FetchFacts.ALL, false));
    refuses(Direction.BACKWARD, FetchFacts.ALL, false);
    refuses(Direction.BACKWARD, 1, true);
    refuses(Direction.ABSOLUTE, -1, false);
  }

  @Test
  void onARow() {
    position.moved(3, false);
    assertEquals(way(0, 1), way(Direction.ABSOLUTE, 4, false));
    assertEquals(way(1, 1), way(Direction.RELATIVE, 2, false));
    assertEquals(new ForwardPosition.Way(0, 0, 1), way(Direction.RELATIVE, 0, true));
    refuses(Direction.ABSOLUTE, 3, false);
    refuses(Direction.ABSOLUTE, 0, false);
    refuses(Direction.RELATIVE, 0, false);
    refuses(Direction.BACKWARD, FetchFacts.ALL, true);
  }

  @Test
  void behindTheLastRow() {
    position.moved(3, true);
    assertEquals(way(0, 0), way(Direction.FORWARD, 0, false));
    assertEquals(way(0, 0), way(Direction.FORWARD, 0, true));
    assertEquals(way(0, 1), way(Direction.ABSOLUTE, 5, false));
    refuses(Direction.ABSOLUTE, 4, false);
  }
}
