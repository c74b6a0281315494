package org.abelian.router.batching;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Operations of several sessions that the session of the first runs as one.
 *
 * @param <L> the type of operation
 */
public final class Batch<L extends Batchable<L>> implements Waiter.Part {
  private final InFlight inFlight;
  private final L sum;
  private final List<Waiter<L>> others;
  private final Consumer<Result> outcome;
  private Runnable canceller;
  private boolean cancelled;

  /** Somebody has it stopped because it takes too long. */
  private final AtomicBoolean stopped = new AtomicBoolean();

  /**
   * @param inFlight of the leader
   * @param outcome hears how it ended before anybody else does
   */
  Batch(InFlight inFlight, L sum, List<Waiter<L>> others, Consumer<Result> outcome) {
    this.inFlight = inFlight;
    this.sum = sum;
    this.others = List.copyOf(others);
    this.outcome = outcome;
  }

  /** All operations as one. */
  public L sum() {
    return sum;
  }

  /** How many operations there are. */
  public int size() {
    return others.size() + 1;
  }

  /**
   * The batch is about to be sent.
   *
   * @param cancel asks the nodes to stop it
   * @return false when it has been cancelled already
   */
  public synchronized boolean begin(Runnable cancel) {
    if (cancelled || stopped.get()) {
      return false;
    }
    canceller = cancel;
    return true;
  }

  /** The nodes have answered: nothing can be cancelled any more. */
  public synchronized void end() {
    canceller = null;
  }

  /** One of its sessions wants to stop. The operations of the others are then run alone. */
  @Override
  public synchronized void cancel() {
    cancelled = true;
    if (canceller != null) {
      canceller.run();
    }
  }

  /** It takes too long. Whoever says so first has the nodes stop it; nobody waits for that. */
  @Override
  public void stop() {
    if (stopped.compareAndSet(false, true)) {
      Thread thread = new Thread(this::stopNodes, "abelian-stop");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private synchronized void stopNodes() {
    if (canceller != null) {
      canceller.run();
    }
  }

  /** Whether one of its sessions wants to stop. */
  public synchronized boolean isCancelled() {
    return cancelled;
  }

  /** Its only operation goes as its client wrote it. */
  public InFlight alone() {
    return inFlight;
  }

  /** Tells all others, and lets the next batch go. */
  public void finish(Result result) {
    outcome.accept(result);
    inFlight.end();
    Waiter.answerAll(others, result);
  }
}
