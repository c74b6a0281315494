package org.abelian.router.session;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Which reads of several nodes pass the commit gates: of a router's, one at a time for each set of
 * nodes. What it has learned behind them mostly spares the others the way. Thread-safe.
 */
public final class GateTurns {
  /** A read that takes longer is not waited for any more; its session may have gone. */
  private static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier clock;
  private final Map<List<Integer>, Turn> current = new ConcurrentHashMap<>();

  /**
   * Nobody is behind a gate.
   *
   * @param clock what {@link System#nanoTime} is
   */
  GateTurns(LongSupplier clock) {
    this.clock = clock;
  }

  /** A read that passes the gates, or is about to. */
  public final class Turn {
    private final List<Integer> nodes;
    private final long since = clock.getAsLong();
    private final CountDownLatch over = new CountDownLatch(1);

    private Turn(List<Integer> nodes) {
      this.nodes = nodes;
    }

    /** It has its snapshots, or none; more than once does no harm. */
    public void end() {
      current.remove(nodes, this);
      over.countDown();
    }
  }

  /**
   * Takes the turn.
   *
   * @return null when another read has it
   */
  public Turn take(List<Integer> nodes) {
    Turn mine = new Turn(List.copyOf(nodes));
    Turn before = current.putIfAbsent(mine.nodes, mine);
    if (before == null) {
      return mine;
    }
    boolean isLeft = clock.getAsLong() - before.since > LEASE_NANOS;
    return isLeft && current.replace(mine.nodes, before, mine) ? mine : null;
  }

  /**
   * Waits until the read that has the turn has ended it, at most so long.
   *
   * @return whether it has
   */
  public boolean await(List<Integer> nodes, long millis) {
    Turn turn = current.get(nodes);
    if (turn == null) {
      return true;
    }
    try {
      return turn.over.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true; // Then the gates are passed without a turn.
    }
  }
}
