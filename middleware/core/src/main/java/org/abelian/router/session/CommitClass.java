package org.abelian.router.session;

import java.util.Locale;

/** How a transaction is committed, the cheapest first. */
public enum CommitClass {
  /** At most one node wrote: its own COMMIT. */
  SINGLE,
  /** Blind commuting operations: one round, no prepare. */
  COMMUTING,
  /** A procedure whose participants decide alike: two rounds, no vote. */
  INDEPENDENT,
  /** Two-phase commit. */
  COORDINATED;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
