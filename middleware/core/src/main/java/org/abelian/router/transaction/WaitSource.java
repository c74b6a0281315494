package org.abelian.router.transaction;

import java.util.List;

/** The waits of the nodes, and the means to end one. */
public interface WaitSource {
  /** The ids of the nodes, ascending. */
  List<Integer> nodes();

  /** Who waits for whom on a node. */
  List<WaitEdge> edges(int node) throws NodeUnreachableException;

  /**
   * Cancels the waiter's statement if it is still the same transaction and still waits for a lock.
   *
   * @return whether it was
   */
  boolean cancel(int node, WaitingParty waiter) throws NodeUnreachableException;
}
