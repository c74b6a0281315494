package org.abelian.workloads.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PaceTest {
  @Test
  void thinkTimesAreExponentialWithTheirMean() {
    Pace pace = new Pace(Duration.ofMillis(10), 0);
    SplittableRandom random = new SplittableRandom(3);
    long sum = 0;
    int above = 0;
    for (int i = 0; i < 20_000; i++) {
      long think = pace.next(-1, 0, random.nextDouble());
      sum += think;
      above += think > 20_000_000 ? 1 : 0;
    }
    assertEquals(10e6, sum / 20_000.0, 3e5, "seed 3");
    assertEquals(20_000 * Math.exp(-2), above, 200, "seed 3");
  }

  @Test
  void aRateDoesNotSlipWhenATransactionIsLate() {
    Pace pace = new Pace(Duration.ZERO, 100);
    assertEquals(30_000_000, pace.next(20_000_000, 99_000_000, 0.5));
  }

  @Test
  void noClientHasAThinkTimeAndARate() {
    assertThrows(IllegalArgumentException.class, () -> new Pace(Duration.ofMillis(1), 1));
  }
}
