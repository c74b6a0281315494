package org.abelian.router.statement;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which reads go to nodes together with others. */
class ReadPaceTest {
  private static final long SLOW = TimeUnit.MILLISECONDS.toNanos(6);
  private static final long QUICK = TimeUnit.MILLISECONDS.toNanos(1);

  private final ReadPace pace = new ReadPace();

  private void learn(int times, long nanos) {
    for (int i = 0; i < times; i++) {
      pace.learn(nanos);
    }
  }

  @Test
  void whatIsNotKnownIsTakenForQuick() {
    assertTrue(pace.isQuick());
  }

  @Test
  void whatIsSlowAgainAndAgainGoesAlone() {
    learn(7, SLOW);
    assertTrue(pace.isQuick());
    learn(1, SLOW);
    assertFalse(pace.isQuick());
  }

  @Test
  void aQuickOneAmongSlowOnesShowsThatTheMachineWasBusy() {
    learn(7, SLOW);
    learn(1, QUICK);
    learn(7, SLOW);
    assertTrue(pace.isQuick());
    learn(20, SLOW);
    learn(1, QUICK);
    assertTrue(pace.isQuick());
  }

  @Test
  void membersOfASlowBatchAreRunAloneOnceToFindOutWhichOneItWas() {
    pace.learnOfBatch(SLOW);
    assertFalse(pace.isQuick());
    pace.learn(QUICK);
    assertTrue(pace.isQuick());
    pace.learnOfBatch(QUICK);
    assertTrue(pace.isQuick());
  }

  @Test
  void whatDoesNotGoWellWithOthersIsLeftAloneForAThousandRuns() {
    pace.leaveAlone();
    for (int i = 0; i < 1_000; i++) {
      assertFalse(pace.isQuick());
    }
    assertTrue(pace.isQuick());
  }
}
