package org.abelian.router.transaction;

import java.time.Duration;
import java.util.List;

/**
 * Nodes on which a transaction has changed nothing, but may hold locks: advisory locks, those of
 * LOCK TABLE. Who waits for such a lock must find what the transaction has done elsewhere, so they
 * are let go when all of that can be seen. They must be held until then, too, or else the
 * transaction is rolled back. Used by one thread.
 */
final class LockHolders {
  /** How long all of them may take to let go. */
  private static final Duration LIMIT = Duration.ofSeconds(2);

  private final List<Participant> nodes;
  private final Pause pause;

  LockHolders(List<Participant> nodes, Pause pause) {
    this.nodes = nodes;
    this.pause = pause;
  }

  /** Asks whether the transaction is still open there. */
  void ask() {
    nodes.forEach(node -> node.send(""));
  }

  /** Waits for the answers. */
  void answer(Votes votes) {
    nodes.forEach(node -> votes.take(node, node.await(), ""));
  }

  /**
   * The transaction is committed, and everybody sees it. A node that is lost, or silent, loses its
   * connection.
   */
  void release() {
    nodes.forEach(node -> node.send("COMMIT"));
    Deadline end = Deadline.in(LIMIT, pause);
    nodes.forEach(node -> node.await(end.left()));
  }

  /** Lets go of the locks as the transaction has ended, and gives its outcome. */
  CommitOutcome end(CommitOutcome outcome) {
    if (outcome instanceof CommitOutcome.Committed) {
      release();
    } else {
      rollBack();
    }
    return outcome;
  }

  /** The transaction is not committed, or nobody knows. */
  void rollBack() {
    for (Participant node : nodes) {
      if (node.inTransaction()) {
        node.send("ROLLBACK");
        node.await(LIMIT);
      }
    }
  }
}
