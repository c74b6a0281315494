package org.abelian.router.statement;

import java.util.concurrent.TimeUnit;

/**
 * Whether a read is quick enough to go to a node in one batch with the reads of other sessions, who
 * would have to wait for it. Found out from the last times that its text was run. Safe for several
 * threads; what two learn at once may count once.
 */
public final class ReadPace {
  /** Longer than this is slow. */
  private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** So many slow ones in a row make a text slow; where processors are busy, some always are. */
  private static final int SLOW_IN_A_ROW = 8;

  /** For how many runs it is left alone. */
  private static final int RUNS_ALONE = 1_000;

  private volatile int slow;
  private volatile int alone;

  /** How long it has taken alone, in nanoseconds. */
  public void learn(long nanos) {
    if (nanos > SLOW_NANOS) {
      slow = Math.min(slow + 1, SLOW_IN_A_ROW);
    } else if (slow != 0) {
      slow = 0;
    }
  }

  /** How long a batch of which it was part has taken: if long, it is run alone once. */
  public void learnOfBatch(long nanos) {
    if (nanos > SLOW_NANOS && alone == 0) {
      alone = 1;
    }
  }

  /** It does not go well with others. */
  public void leaveAlone() {
    alone = RUNS_ALONE;
  }

  /** Asked before each run: whether it may share a batch. */
  public boolean isQuick() {
    int left = alone;
    if (left > 0) {
      alone = left - 1;
      return false;
    }
    return slow < SLOW_IN_A_ROW;
  }
}
