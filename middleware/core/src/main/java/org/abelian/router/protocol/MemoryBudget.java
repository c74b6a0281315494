package org.abelian.router.protocol;

import java.util.concurrent.atomic.AtomicLong;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/**
 * How many bytes the buffers of a router may take in all: what clients have sent and nodes have not
 * got yet, what nodes have answered and clients have not read yet, rows that are gathered, and
 * texts that sessions keep. Buffers count what they take beyond their first few kilobytes. Small
 * ones are never refused, so that a client can be told an error, and ordinary statements go on,
 * while large ones are. Safe for several threads.
 */
public final class MemoryBudget {
  /** A buffer up to this size, in bytes, is counted but not refused. */
  public static final int SMALL = 64 << 10;

  private static final long NO_LIMIT = Long.MAX_VALUE / 2;

  private final long limit;
  private final AtomicLong used = new AtomicLong();

  /**
   * @param limit in bytes
   */
  public MemoryBudget(long limit) {
    this.limit = limit;
  }

  /** A budget that refuses nothing. */
  public static MemoryBudget unlimited() {
    return new MemoryBudget(NO_LIMIT);
  }

  /** Half of what the JVM may use. */
  public static long usualBytes() {
    return Runtime.getRuntime().maxMemory() / 2;
  }

  /**
   * Counts more bytes.
   *
   * @throws AbelianException 53200 when that would be more than there may be; nothing is counted
   */
  public void take(long bytes) {
    if (!tryTake(bytes)) {
      throw exhausted(bytes);
    }
  }

  /** The error 53200 for bytes that there is no memory for. */
  AbelianException exhausted(long bytes) {
    return new AbelianException(
        SqlState.OUT_OF_MEMORY,
        "the router has no memory left for " + bytes + " bytes",
        "Its buffers hold " + used.get() + " of " + limit + " bytes.",
        "Send or ask for less at once, or give the router more memory.",
        null);
  }

  /**
   * Looks whether there is room for what will be counted by {@link #takeAnyway} soon.
   *
   * @throws AbelianException 53200 when there is none
   */
  public void requireRoom(long bytes) {
    take(bytes);
    give(bytes);
  }

  /** As {@link #take}, but tells whether there was room. */
  public boolean tryTake(long bytes) {
    long now = used.get();
    while (now + bytes <= limit) {
      if (used.compareAndSet(now, now + bytes)) {
        return true;
      }
      now = used.get();
    }
    return false;
  }

  /** Counts bytes that are not refused. */
  public void takeAnyway(long bytes) {
    used.addAndGet(bytes);
  }

  /** Counts so many bytes less. */
  public void give(long bytes) {
    used.addAndGet(-bytes);
  }

  /** True when more than three quarters are used: what can be done without more should be. */
  public boolean isTight() {
    return used.get() > limit / 4 * 3;
  }

  /** How many bytes there may be. */
  public long limit() {
    return limit;
  }

  /** The bytes that are counted now. */
  public long used() {
    return used.get();
  }

  @Override
  public String toString() {
    return used + " of " + limit + " bytes";
  }
}
