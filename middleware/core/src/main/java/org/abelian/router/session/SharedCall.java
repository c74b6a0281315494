package org.abelian.router.session;

import java.util.List;
import org.abelian.router.transaction.CommutingEnding;

/** A call that may run in one transaction with others', and what became of that. */
final class SharedCall {
  /** Of the arguments and texts of a message together, roughly, in bytes. */
  private static final int MESSAGE_MAX = 1 << 20;

  private final Portal.OnNodes portal;
  private CommutingEnding ending;

  SharedCall(Portal.OnNodes portal) {
    this.portal = portal;
  }

  /** This one, for others to join. */
  Calls<SharedCall> calls() {
    int size = portal.bind.end() + portal.statement().sql().length();
    return new Calls<>(List.of(this), size, MESSAGE_MAX);
  }

  /** What is called. */
  Portal.OnNodes portal() {
    return portal;
  }

  /** For the session that runs the transaction, before it says that there is a result. */
  void ending(CommutingEnding answer) {
    ending = answer;
  }

  /** What became of the transaction, once there is a result; null if it was never sent. */
  CommutingEnding ending() {
    return ending;
  }
}
