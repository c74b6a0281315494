package org.abelian.router.engine;

import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.transaction.NodeUnreachableException;
import org.abelian.router.transaction.independent.IndependentTransaction;
import org.abelian.router.transaction.independent.IndependentTransactions;
import org.abelian.router.transaction.independent.Refusal;

/**
 * Gives reads of several nodes places among the independent transactions of these nodes: a read
 * proposes as they do, and takes its snapshots in its turn (docs/protocols/reads.md).
 */
public final class ReadTurns {
  private final IndependentTransactions all;
  private final long session;

  /**
   * Those of a session.
   *
   * @param session its number
   */
  public ReadTurns(IndependentTransactions all, long session) {
    this.all = all;
    this.session = session;
  }

  /**
   * Whatever is proposed to these nodes from now on has a greater timestamp.
   *
   * @return false when a node cannot be reached
   */
  boolean advance(List<Integer> nodes, long timestamp) {
    try {
      all.advance(nodes, timestamp);
      return true;
    } catch (NodeUnreachableException unreachable) {
      return false;
    }
  }

  /** What has become of a proposal. */
  record Proposal(Turn turn, boolean isGateShut) {
    static final Proposal REFUSED = new Proposal(null, false);
    static final Proposal AT_GATE = new Proposal(null, true);
  }

  /** A place that all nodes have given; it must be {@link #passed} or {@link #settle}d. */
  final class Turn {
    private final IndependentTransaction transaction;

    private Turn(IndependentTransaction transaction) {
      this.transaction = transaction;
    }

    /** The greatest of what the nodes have proposed, as the name of a portal says it. */
    String timestamp() {
      return Long.toHexString(transaction.timestamp());
    }

    /** All nodes have taken their snapshots, and handed their lanes on. */
    void passed() {
      all.passed(transaction);
    }

    /** Makes sure that it holds up no lane. */
    void settle() {
      try {
        all.settle(transaction);
      } catch (NodeUnreachableException unreachable) {
        // Every router's recovery settles what has been pending for some seconds.
      }
    }
  }

  /**
   * Asks all of these nodes for a place; they are connected, and have nothing else to answer. What
   * is refused has left nothing.
   */
  Proposal propose(List<Backend> backends, int timeoutMillis) {
    Turn turn;
    try {
      turn = new Turn(all.begin(session, Backend.nodes(backends)));
    } catch (NodeUnreachableException unreachable) {
      return Proposal.REFUSED;
    }
    boolean proposed = false;
    try {
      ProposalRound round = new ProposalRound(all, turn.transaction, backends);
      proposed = round.run(timeoutMillis);
      if (proposed) {
        return new Proposal(turn, false);
      }
      return round.refusal() == Refusal.GATE ? Proposal.AT_GATE : Proposal.REFUSED;
    } finally {
      if (!proposed) {
        turn.settle();
      }
    }
  }
}
