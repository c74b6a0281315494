package org.abelian.workloads.tpcc.transaction;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Timestamps in microseconds that never repeat within one run. Thread-safe. */
public final class Clock {
  private static final long MICROS_PER_SECOND = 1_000_000;

  private final LongSupplier micros;
  private final AtomicLong last = new AtomicLong(Long.MIN_VALUE);

  /**
   * @param micros the present time in microseconds since 1970
   */
  public Clock(LongSupplier micros) {
    this.micros = micros;
  }

  /** The system's clock. */
  public static Clock system() {
    return new Clock(() -> ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
  }

  /** The present time, or one microsecond more than the last answer where that is later. */
  public long next() {
    long now = micros.getAsLong();
    return last.updateAndGet(previous -> Math.max(previous + 1, now));
  }

  /** Microseconds since 1970 as SQL's timestamp without time zone, in UTC. */
  public static LocalDateTime timestamp(long micros) {
    return LocalDateTime.ofEpochSecond(
        Math.floorDiv(micros, MICROS_PER_SECOND),
        (int) Math.floorMod(micros, MICROS_PER_SECOND) * 1000,
        ZoneOffset.UTC);
  }

  /** Inverse of {@link #timestamp}. */
  public static long micros(LocalDateTime timestamp) {
    return timestamp.toEpochSecond(ZoneOffset.UTC) * MICROS_PER_SECOND + timestamp.getNano() / 1000;
  }
}
