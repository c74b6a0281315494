package org.abelian.router.transaction.independent;

import java.util.List;

/** A transaction that has a place in a node's lane, and all its participants. */
public record PendingTransaction(String id, List<Integer> participants) {
  /** Copies the list. */
  public PendingTransaction {
    participants = List.copyOf(participants);
  }
}
