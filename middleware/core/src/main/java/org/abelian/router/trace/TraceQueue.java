package org.abelian.router.trace;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Transactions on their way from sessions to the writer, and a bound on what open ones and those
 * that wait may take together. It never blocks: what has no room is dropped and counted. The writer
 * looks by itself, so that no session has to wake it. Thread-safe.
 */
final class TraceQueue {
  private final ConcurrentLinkedQueue<TracedTransaction> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicLong held = new AtomicLong();
  private final TraceCounts counts = new TraceCounts();
  private final long limit;

  /**
   * Nothing waits.
   *
   * @param limit in bytes
   */
  TraceQueue(long limit) {
    this.limit = limit;
  }

  TraceCounts counts() {
    return counts;
  }

  /** Sets memory aside; false when there is none. */
  boolean reserve(long bytes) {
    if (held.addAndGet(bytes) <= limit) {
      return true;
    }
    held.addAndGet(-bytes);
    return false;
  }

  /** Gives memory back. */
  void release(long bytes) {
    held.addAndGet(-bytes);
  }

  /** A transaction that has ended; its memory is set aside. */
  void add(TracedTransaction transaction) {
    waiting.add(transaction);
  }

  /** The next one, whose memory its taker gives back; null when none waits. */
  TracedTransaction poll() {
    return waiting.poll();
  }

  /** What is set aside, in bytes. */
  long held() {
    return held.get();
  }
}
