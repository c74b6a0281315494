package org.abelian.router.transaction.independent;

import java.util.Map;

/** What became of a transaction that was settled. */
public sealed interface Settled {
  /** No node has executed it, and none will. */
  record Cancelled() implements Settled {}

  /**
   * Every node has executed it, and has it on disk.
   *
   * @param failures what nodes could not run, by the node's id; not empty means that a procedure is
   *     not independent
   */
  record Executed(Map<Integer, CallFailures> failures) implements Settled {
    /** Copies the map. */
    public Executed {
      failures = Map.copyOf(failures);
    }
  }
}
