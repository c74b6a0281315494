package org.abelian.router.transaction;

import java.time.Duration;

/** Time that passes only when somebody waits, and at once. */
final class FakeTime implements Pause {
  private long nanos;

  @Override
  public void pause(Duration time) {
    nanos += time.toNanos();
  }

  @Override
  public long nanoTime() {
    return nanos;
  }

  Duration passed() {
    return Duration.ofNanos(nanos);
  }
}
