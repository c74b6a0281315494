package org.abelian.router.transaction.independent;

import java.util.Map;

/** What became of a transaction that was settled. */
public sealed interface Settled {
  /** No node has executed it, and none will. */
  record Cancelled() implements Settled {}

  /**
   * Every node has executed it, and has it on disk.
   *
   * @param failures errors of nodes that could not, by the node's id; not empty means that the
   *     procedure is not independent
   */
  record Executed(Map<Integer, String> failures) implements Settled {
    /** Copies the map. */
    public Executed {
      failures = Map.copyOf(failures);
    }
  }
}
