package org.abelian.router.transaction;

import java.util.Objects;

/** A transaction that waits on a node until another has ended, as abelian.wait_edges() saw it. */
public record WaitEdge(int node, WaitingParty waiter, WaitingParty blocker) {
  /** Whose transaction waits: one name for a session on all nodes. */
  String waiterName() {
    return name(waiter);
  }

  /** Whose transaction is waited for. */
  String blockerName() {
    return name(blocker);
  }

  /** True when both looks saw the same transactions in the same wait, whatever their texts. */
  boolean isSameWait(WaitEdge that) {
    return node == that.node
        && isSameTransaction(waiter, that.waiter)
        && isSameTransaction(blocker, that.blocker);
  }

  private static boolean isSameTransaction(WaitingParty one, WaitingParty other) {
    return one.pid() == other.pid()
        && one.transactionStart() == other.transactionStart()
        && Objects.equals(one.gid(), other.gid());
  }

  private String name(WaitingParty party) {
    if (party.gid() != null) {
      // A prepared transaction ends when its coordinating session gets on.
      return Gid.parse(party.gid()).map(gid -> gid.session().toString()).orElse(party.gid());
    }
    return SessionLabel.parse(party.session())
        .map(SessionLabel::toString)
        .orElse("node " + node + " process " + party.pid());
  }
}
