package org.abelian.router.procedure;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.abelian.router.transaction.Pause;

/** The time between attempts that a lane has refused; drawn, so that rivals do not meet again. */
public final class Backoff {
  private static final int STEP_MILLIS = 5;
  private static final int STEPS_MAX = 4;

  private Backoff() {}

  /** Waits after so many attempts. */
  public static void pause(int attempts) {
    int longest = STEP_MILLIS * Math.min(attempts, STEPS_MAX);
    Pause.SLEEP.pause(Duration.ofMillis(ThreadLocalRandom.current().nextInt(longest) + 1));
  }
}
