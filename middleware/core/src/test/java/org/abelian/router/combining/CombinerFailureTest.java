package org.abelian.router.combining;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Where combining fails everybody goes alone for a while, the longer the more often it fails. */
class CombinerFailureTest {
  private static final String KEY = "row";
  private static final long LONGEST = 1600;

  private long now;
  private final Combiner<Amounts> combiner =
      new Combiner<>(new CombiningLimits(1, 10, 10, 1000, LONGEST, false), () -> now);

  /** Two statements that met while a third was under way have this result. */
  private void meet(Result result) {
    Flight first = combiner.departAlone(KEY);
    Member<Amounts> leader = combiner.join(KEY, one());
    combiner.join(KEY, one());
    first.end();
    Batch<Amounts> batch = leader.lead();
    assertEquals(2, batch.size());
    batch.finish(result);
  }

  private static Amounts one() {
    return new Amounts(List.of(new Amount.Whole(1, false)));
  }

  private boolean isPaused() {
    Flight other = combiner.departAlone(KEY);
    Flight own = combiner.depart(KEY);
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
    CombiningLimits limits = new CombiningLimits(1, 10, 10, 0, LONGEST, forgetsOverdue);
    Combiner<Amounts> combiner = new Combiner<>(limits, () -> 0);
    Flight stuck = combiner.depart(KEY);
    Member<Amounts> member = combiner.join(KEY, one());
    assertEquals(Member.State.LEADS, member.await(limits.waitNanos()));
    assertNull(combiner.depart(KEY), "the member's statement counts");
    member.lead().alone().end();
    Flight other = combiner.depart(KEY);
    stuck.end();
    if (other != null) {
      assertNull(combiner.depart(KEY), "the end of the stuck one lets nobody else go");
      other.end();
    }
    assertEquals(0, combiner.size());
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
    Flight first = combiner.departAlone(KEY);
    Member<Amounts> leader = combiner.join(KEY, one());
    Member<Amounts> next = combiner.join(KEY, one());
    first.end();
    assertEquals(Member.State.LEADS, leader.state());
    assertEquals(Member.State.GATHERING, next.state());
    leader.leadAlone().alone().end();
    assertEquals(Member.State.LEADS, next.state());
  }
}
