package org.abelian.router.transaction;

import java.util.HashSet;
import java.util.Set;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/** The answers to the first round of a commit. */
final class Votes {
  private final Set<Participant> yes;
  private CommitOutcome refusal;

  Votes(int expected) {
    yes = new HashSet<>(expected * 2);
  }

  /**
   * Counts a vote: only success with the expected tag is a yes, since a failed transaction answers
   * ROLLBACK.
   */
  void take(Participant participant, Answer answer, String tag) {
    if (answer instanceof Answer.Done done && done.tag().equals(tag)) {
      yes.add(participant);
    } else if (refusal == null || refusal instanceof CommitOutcome.RolledBack) {
      refusal = refusal(participant.nodeId(), answer);
    }
  }

  /** True when the participant voted yes. */
  boolean saidYes(Participant participant) {
    return yes.contains(participant);
  }

  /**
   * What to tell the client, a node's own error rather than a lost connection; null when all voted
   * yes.
   */
  CommitOutcome refusal() {
    return refusal;
  }

  private static CommitOutcome refusal(int node, Answer answer) {
    if (answer instanceof Answer.Failed failed) {
      return new CommitOutcome.RolledBackByNode(node, failed);
    }
    if (answer instanceof Answer.Lost lost) {
      return new CommitOutcome.RolledBack(
          new AbelianException(
              SqlState.CONNECTION_FAILURE,
              "the connection to node "
                  + node
                  + " was lost before the transaction was committed; it is rolled back",
              lost.reason(),
              "Try the transaction again.",
              null));
    }
    return new CommitOutcome.RolledBackSilently();
  }
}
