package org.abelian.router.procedure;

import java.util.List;
import org.abelian.router.transaction.CommutingEnding;

/** A call that may run in one transaction with others', and what became of that. */
public final class SharedCall {
  /** Of the arguments and texts of a message together, roughly, in bytes. */
  private static final int MESSAGE_MAX = 1 << 20;

  private final PreparedCall prepared;
  private CommutingEnding ending;

  public SharedCall(PreparedCall prepared) {
    this.prepared = prepared;
  }

  /** This one, for others to join. */
  public Calls<SharedCall> calls() {
    int size = prepared.bind().end() + prepared.call().statement().sql().length();
    return new Calls<>(List.of(this), size, MESSAGE_MAX);
  }

  /** The call with its values. */
  public PreparedCall prepared() {
    return prepared;
  }

  /** For the session that runs the transaction, before it says that there is a result. */
  public void ending(CommutingEnding answer) {
    ending = answer;
  }

  /** What became of the transaction, once there is a result; null if it was never sent. */
  public CommutingEnding ending() {
    return ending;
  }
}
