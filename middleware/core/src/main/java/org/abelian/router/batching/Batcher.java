package org.abelian.router.batching;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Batches equal operations of many sessions on contended keys. Nothing here is needed for
 * correctness: what it forgets is run alone.
 *
 * <p>Keys are compared by equals.
 *
 * @param <L> the type of operation
 */
public final class Batcher<L extends Batchable<L>> {
  /** The number of keys at most for which batching is suspended. */
  private static final int SUSPENDED_MAX = 1000;

  private final BatchLimits limits;
  private final LongSupplier clock;
  private final AtomicInteger crowd = new AtomicInteger();
  private final ConcurrentHashMap<Object, BatchQueue<L>> queues = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Object, Suspension> suspended = new ConcurrentHashMap<>();

  /**
   * A batcher without statements.
   *
   * @param clock what {@link System#nanoTime} is
   */
  public Batcher(BatchLimits limits, LongSupplier clock) {
    this.limits = limits;
    this.clock = clock;
  }

  /** Its bounds. */
  public BatchLimits limits() {
    return limits;
  }

  /** Registers a statement that goes alone if it need not wait; else gives null. */
  public InFlight depart(Object key) {
    boolean alone = isSuspended(key);
    for (; ; ) {
      BatchQueue<L> queue = queue(key);
      InFlight statement = queue.newInFlight();
      switch (queue.arrive(statement, null, alone)) {
        case GOES -> {
          return statement;
        }
        case CONTENDED -> {
          return null;
        }
        default -> {
          // Everybody left meanwhile.
        }
      }
    }
  }

  /** Registers a statement that goes alone in any case. */
  public InFlight departAlone(Object key) {
    for (; ; ) {
      BatchQueue<L> queue = queue(key);
      InFlight statement = queue.newInFlight();
      if (queue.arrive(statement, null, true) == BatchQueue.Arrival.GOES) {
        return statement;
      }
    }
  }

  /** Waits in the queue of a key, or leads at once if there is room. For the session's thread. */
  public Turn<L> join(Object key, L operation) {
    for (; ; ) {
      BatchQueue<L> queue = queue(key);
      Waiter<L> waiter = queue.newWaiter(operation);
      if (queue.arrive(waiter.inFlight(), waiter, false) != BatchQueue.Arrival.CLOSED) {
        return new Turn<>(queue, waiter);
      }
    }
  }

  private BatchQueue<L> queue(Object key) {
    BatchQueue<L> there = queues.get(key); // The most frequent case takes no lock.
    if (there != null) {
      return there;
    }
    if (limits.queuesKept() > 0 && queues.size() >= limits.queuesKept()) {
      queues.values().removeIf(BatchQueue::closesIdle);
    }
    return queues.computeIfAbsent(key, this::newQueue);
  }

  private BatchQueue<L> newQueue(Object key) {
    return new BatchQueue<>(
        limits, crowd, result -> ended(key, result), queue -> forget(key, queue));
  }

  private boolean forget(Object key, BatchQueue<L> queue) {
    return limits.queuesKept() == 0 && queues.remove(key, queue);
  }

  private void ended(Object key, Result result) {
    if (result instanceof Result.Undone || result instanceof Result.Separate) {
      suspend(key);
    } else if (result instanceof Result.Done && !suspended.isEmpty()) {
      suspended.remove(key);
    }
  }

  /**
   * A batch failed there: for a while everybody goes alone, longer after each failure in a row. So
   * a failure now and then costs the others little, and what fails each time is hardly tried.
   */
  private void suspend(Object key) {
    if (suspended.size() >= SUSPENDED_MAX) {
      suspended.clear();
    }
    suspended.compute(
        key,
        (same, before) -> {
          long nanos = limits.suspendedAfter(before);
          return new Suspension(clock.getAsLong() + nanos, nanos);
        });
  }

  private boolean isSuspended(Object key) {
    if (suspended.isEmpty()) {
      return false;
    }
    Suspension last = suspended.get(key);
    return last != null && last.until() - clock.getAsLong() > 0;
  }

  /** How many keys it knows. */
  int kept() {
    return queues.size();
  }

  /** How many keys have statements in flight. */
  int size() {
    return (int) queues.values().stream().filter(BatchQueue::isBusy).count();
  }
}
