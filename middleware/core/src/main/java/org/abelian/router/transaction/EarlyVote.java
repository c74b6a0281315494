package org.abelian.router.transaction;

import java.util.List;

/**
 * A coordinated commit whose vote travels with the work: each participant has got its part of the
 * vote right behind its last statement.
 *
 * @param gid under which the others prepare
 * @param askedNanos when the vote was sent, by {@link System#nanoTime}
 */
public record EarlyVote(Gid gid, long askedNanos) {
  /**
   * What the holder runs behind its work: it inserts the decision, which its COMMIT makes valid.
   */
  public String toHolder(Participant holder) {
    return CommitCommands.decide(gid, holder);
  }

  /** The statements that each other writer runs behind its work, the last of which is its vote. */
  public List<String> toOther(Participant other) {
    return CommitCommands.prepare(gid, other);
  }
}
