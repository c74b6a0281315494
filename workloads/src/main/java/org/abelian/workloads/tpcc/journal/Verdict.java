package org.abelian.workloads.tpcc.journal;

/** What a terminal knows about an attempt to commit. */
public enum Verdict {
  /** COMMIT is about to be sent. A journal that ends here was cut off: the outcome is unknown. */
  INTENDED,
  /** COMMIT was answered with success: the transaction must be there, once. */
  ACKNOWLEDGED,
  /** The database said that the transaction was rolled back: it must not be there. */
  ROLLED_BACK,
  /** The connection was lost at COMMIT: either is right. */
  UNKNOWN
}
