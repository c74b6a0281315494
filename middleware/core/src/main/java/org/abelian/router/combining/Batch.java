package org.abelian.router.combining;

import java.util.List;

/**
 * What is run as one by the session of the first.
 *
 * @param <L> what the members bring
 */
public final class Batch<L extends Load<L>> {
  private final Hotspot<L> hotspot;
  private final Flight flight;
  private final L sum;
  private final List<Member<L>> others;
  private Runnable canceller;
  private boolean cancelled;

  Batch(Hotspot<L> hotspot, Flight flight, L sum, List<Member<L>> others) {
    this.hotspot = hotspot;
    this.flight = flight;
    this.sum = sum;
    this.others = List.copyOf(others);
  }

  /** What all of them bring. */
  public L sum() {
    return sum;
  }

  /** How many members there are. */
  public int size() {
    return others.size() + 1;
  }

  /**
   * The statement is about to be sent.
   *
   * @param cancel asks the node to stop it
   * @return false when it has been cancelled already
   */
  public synchronized boolean begin(Runnable cancel) {
    canceller = cancel;
    return !cancelled;
  }

  /** The node has answered: nothing can be cancelled any more. */
  public synchronized void end() {
    canceller = null;
  }

  /** One of its sessions wants to stop. The others' operations are then run alone. */
  synchronized void cancel() {
    cancelled = true;
    if (canceller != null) {
      canceller.run();
    }
  }

  /** Whether one of its sessions wants to stop. */
  public synchronized boolean isCancelled() {
    return cancelled;
  }

  /** Its only operation goes as its client wrote it. */
  public Flight alone() {
    return flight;
  }

  /** Tells all others, and lets those go who have gathered meanwhile. */
  public void finish(Result result) {
    if (result instanceof Result.Undone || result instanceof Result.Separate) {
      hotspot.beQuiet();
    } else if (result instanceof Result.Done) {
      hotspot.succeeded();
    }
    flight.end();
    Member.answerAll(others, result);
  }
}
