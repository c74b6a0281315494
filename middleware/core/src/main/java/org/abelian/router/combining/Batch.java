package org.abelian.router.combining;

import java.util.List;

/** Operations that are run as one statement by the session of the first. */
public final class Batch {
  private final Hotspot hotspot;
  private final Amounts sum;
  private final List<Member> others;
  private Runnable canceller;
  private boolean cancelled;

  Batch(Hotspot hotspot, Amounts sum, List<Member> others) {
    this.hotspot = hotspot;
    this.sum = sum;
    this.others = List.copyOf(others);
  }

  /** The sum of all operands. */
  public Amounts sum() {
    return sum;
  }

  /** How many operations there are. */
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

  /** Its only operation goes as its client wrote it. */
  public Flight alone() {
    return new Flight(hotspot);
  }

  /** Tells all others, and lets those go who have gathered meanwhile. */
  public void finish(Result result) {
    if (result instanceof Result.Undone) {
      hotspot.beQuiet();
    }
    hotspot.depart();
    Member.answerAll(others, result);
  }
}
