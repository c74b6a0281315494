package org.abelian.router.batching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Where combining fails everybody goes alone for a while, the longer the more often it fails. */
class BatcherFailureTest {
  private static final String KEY = "row";
  private static final long LONGEST = 1600;

  private long now;
  private final Batcher<Amounts> batcher =
      new Batcher<>(new BatchLimits(1, 0, 10, 10, 1000, LONGEST, false, 0, 0), () -> now);

  /** Two statements that met while a third was under way have this result. */
  private void meet(Result result) {
    InFlight first = batcher.departAlone(KEY);
    Turn<Amounts> leader = batcher.join(KEY, one());
    batcher.join(KEY, one());
    first.end();
    Batch<Amounts> batch = leader.lead();
    assertEquals(2, batch.size());
    batch.finish(result);
  }

  private static Amounts one() {
    return new Amounts(List.of(new Amount.Whole(1, false)));
  }

  private boolean isPaused() {
    InFlight other = batcher.departAlone(KEY);
    InFlight own = batcher.depart(KEY);
    if (own != null) {
      own.end();
    }
    other.end();
    return own != null;
  }

  private void assertPausesFor(long time) {
    now += time - 1;
    assertTrue(isPaused(), "after " + (time - 1));
    now += 1;
    assertFalse(isPaused(), "after " + time);
  }

  @Test
  void thePauseDoublesWithEachFailureInARowUpToItsLongest() {
    for (long pause : new long[] {100, 200, 400, 800, LONGEST, LONGEST}) {
      meet(new Result.Undone());
      assertPausesFor(pause);
    }
  }

  @Test
  void aSuccessMakesTheNextPauseShort() {
    meet(new Result.Undone());
    assertPausesFor(100);
    meet(new Result.Undone());
    assertPausesFor(200);
    meet(new Result.Done(1));
    assertFalse(isPaused());
    meet(new Result.Undone());
    assertPausesFor(100);
  }

  @Test
  void endsOfTheirOwnForTheMembersCountAsAFailure() {
    meet(new Result.Separate());
    assertPausesFor(100);
  }

  /** Whether others need not gather while a statement is stuck for which somebody has waited. */
  private static boolean othersGoBesideAStuckOne(boolean forgetsOverdue) {
    BatchLimits limits = new BatchLimits(1, 0, 10, 10, 0, LONGEST, forgetsOverdue, 0, 0);
    Batcher<Amounts> batcher = new Batcher<>(limits, () -> 0);
    InFlight stuck = batcher.depart(KEY);
    Turn<Amounts> member = batcher.join(KEY, one());
    assertEquals(Waiter.State.LEADS, member.waiter().await(limits));
    assertNull(batcher.depart(KEY), "the member's statement counts");
    member.lead().alone().end();
    InFlight other = batcher.depart(KEY);
    stuck.end();
    if (other != null) {
      assertNull(batcher.depart(KEY), "the end of the stuck one lets nobody else go");
      other.end();
    }
    assertEquals(0, batcher.size());
    return other != null;
  }

  @Test
  void whatIsOverdueKeepsOthersOnlyWhereAllWaitForTheSame() {
    assertTrue(othersGoBesideAStuckOne(true));
    assertFalse(othersGoBesideAStuckOne(false));
  }

  @Test
  void anUnknownOutcomeChangesNothing() {
    meet(new Result.Unknown("lost"));
    assertFalse(isPaused());
  }

  /** A session that finds no connection leaves the others to the next of them. */
  @Test
  void whoLeadsAloneTakesNobodyWithIt() {
    InFlight first = batcher.departAlone(KEY);
    Turn<Amounts> leader = batcher.join(KEY, one());
    Turn<Amounts> next = batcher.join(KEY, one());
    first.end();
    assertEquals(Waiter.State.LEADS, leader.waiter().state());
    assertEquals(Waiter.State.QUEUED, next.waiter().state());
    leader.leadAlone().alone().end();
    assertEquals(Waiter.State.LEADS, next.waiter().state());
  }
}
