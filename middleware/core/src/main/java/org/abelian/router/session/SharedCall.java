package org.abelian.router.session;

import org.abelian.router.transaction.CommitOutcome;

/** A call that may run in one transaction with others', and what became of that. */
final class SharedCall {
  private final Portal.OnNodes portal;
  private CommitOutcome outcome;

  SharedCall(Portal.OnNodes portal) {
    this.portal = portal;
  }

  /** What is called. */
  Portal.OnNodes portal() {
    return portal;
  }

  /** For the session that runs the transaction, before it says that there is a result. */
  void outcome(CommitOutcome answer) {
    outcome = answer;
  }

  /** What became of the transaction; once there is a result. */
  CommitOutcome outcome() {
    return outcome;
  }
}
