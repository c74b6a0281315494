package org.abelian.router.session;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class GateTurnsTest {
  private static final List<Integer> ALL = List.of(1, 2, 3);

  private final AtomicLong now = new AtomicLong();
  private final GateTurns turns = new GateTurns(now::get);

  @Test
  void oneReadAtATimePassesTheGatesOfASetOfNodes() {
    GateTurns.Turn first = turns.take(ALL);
    assertNotNull(first);
    assertNull(turns.take(ALL));
    assertNotNull(turns.take(List.of(1, 2)), "these are others");
    first.end();
    GateTurns.Turn second = turns.take(ALL);
    assertNotNull(second);
    first.end();
    assertNull(turns.take(ALL), "it has ended its own turn, not that of the second");
  }

  @Test
  void aReadThatDoesNotComeBackIsNotWaitedForForEver() {
    assertNotNull(turns.take(ALL));
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(900));
    assertNull(turns.take(ALL));
    assertFalse(turns.await(ALL, 1));
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(200));
    assertNotNull(turns.take(ALL));
    assertNull(turns.take(ALL));
  }

  @Test
  void whoWaitsGoesOnWhenTheTurnEnds() throws Exception {
    GateTurns.Turn first = turns.take(ALL);
    CompletableFuture<Boolean> waiting =
        CompletableFuture.supplyAsync(() -> turns.await(ALL, 60_000));
    first.end();
    assertTrue(waiting.get(20, TimeUnit.SECONDS));
  }
}
