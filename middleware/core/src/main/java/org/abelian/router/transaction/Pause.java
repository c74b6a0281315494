package org.abelian.router.transaction;

import java.time.Duration;

/** Waiting between tries, so that tests decide how time passes. */
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
}
