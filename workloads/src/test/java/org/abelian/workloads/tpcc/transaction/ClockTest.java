package org.abelian.workloads.tpcc.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.LocalDateTime;
import org.junit.jupiter.api.Test;

class ClockTest {
  @Test
  void timesNeverRepeatWhenTheClockStandsStillOrGoesBack() {
    long[] readings = {100, 100, 50, 200};
    int[] next = {0};
    Clock clock = new Clock(() -> readings[next[0]++]);
    assertEquals(100, clock.next());
    assertEquals(101, clock.next());
    assertEquals(102, clock.next());
    assertEquals(200, clock.next());
  }

  @Test
  void timestampsKeepTheirMicroseconds() {
    LocalDateTime timestamp = Clock.timestamp(1_700_000_000_123_456L);
    assertEquals(123_456_000, timestamp.getNano());
    assertEquals(1_700_000_000_123_456L, Clock.micros(timestamp));
  }
}
