package org.abelian.router.batching;

/**
 * A session's place in the queue of a key.
 *
 * @param <L> the type of operation
 */
public final class Turn<L extends Batchable<L>> {
  private final BatchQueue<L> queue;
  private final Waiter<L> waiter;

  Turn(BatchQueue<L> queue, Waiter<L> waiter) {
    this.queue = queue;
    this.waiter = waiter;
  }

  /** What waits there. */
  public Waiter<L> waiter() {
    return waiter;
  }

  /** Takes with it who waits; for a waiter that leads. */
  public Batch<L> lead() {
    return queue.lead(waiter);
  }

  /** Takes nobody with it; for a waiter that leads. */
  public Batch<L> leadAlone() {
    return queue.leadAlone(waiter);
  }
}
