package org.abelian.router.batching;

import java.util.function.Consumer;

/** A statement that nodes are working on. It ends exactly once, whatever becomes of it. */
public final class InFlight {
  private Consumer<InFlight> queue;

  /** When it began, among all arrivals at the queue; guarded by the queue's lock. */
  private long number;

  /** How many are part of it; guarded by the queue's lock. */
  private int sessions = 1;

  InFlight(Consumer<InFlight> queue) {
    this.queue = queue;
  }

  /** The statement is answered, or never will be. */
  public void end() {
    Consumer<InFlight> mine = queue;
    queue = null;
    if (mine != null) {
      mine.accept(this);
    }
  }

  int sessions() {
    return sessions;
  }

  void sessions(int members) {
    sessions = members;
  }

  long number() {
    return number;
  }

  void number(long begun) {
    number = begun;
  }
}
