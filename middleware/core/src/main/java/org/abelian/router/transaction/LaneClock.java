package org.abelian.router.transaction;

import java.util.Collection;

/**
 * The greatest timestamp of the lanes that a transaction over several nodes has met. It is carried
 * to all of its nodes before their gates open, so that independent transactions that come after it
 * get greater ones: docs/protocols/independent-beside.md says why.
 *
 * @param at 0 when none of the nodes has a lane that was used
 */
public record LaneClock(long at) {
  /** What these have met together. */
  public static LaneClock of(Collection<? extends Participant> participants) {
    return new LaneClock(participants.stream().mapToLong(Participant::laneClock).max().orElse(0));
  }

  /** With what another has met. */
  public LaneClock and(long other) {
    return other > at ? new LaneClock(other) : this;
  }

  /** True when a node that had come so far has to be told. */
  public boolean isAheadOf(long clock) {
    return at > clock;
  }

  /** The statement that tells a node. */
  public String sql() {
    return "SELECT abelian.independent_advance(" + at + ")";
  }
}
