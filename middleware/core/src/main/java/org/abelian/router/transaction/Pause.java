package org.abelian.router.transaction;

import java.time.Duration;

/** Time as a commit sees it: waiting between tries, and a clock. Tests decide how it passes. */
@FunctionalInterface
public interface Pause {
  /** Really waits. An interrupt ends the wait and stays set. */
  Pause SLEEP =
      time -> {
        try {
          Thread.sleep(time.toMillis());
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
        }
      };

  /** Returns after about that time. */
  void pause(Duration time);

  /** The clock, as {@link System#nanoTime}. */
  default long nanoTime() {
    return System.nanoTime();
  }
}
