package org.abelian.histories.lists;

/** How a transaction ended, as its client knows. */
public enum Ending {
  COMMITTED,
  /** Committed, but the client was warned that a node shows it later. */
  COMMITTED_WITH_WARNING,
  ROLLED_BACK,
  /** The connection was lost, or the router could not tell. */
  UNKNOWN;

  /** True when the client was told that it is committed. */
  public boolean isCommitted() {
    return this == COMMITTED || this == COMMITTED_WITH_WARNING;
  }
}
