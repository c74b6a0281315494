package org.abelian.models.reads;

/** Mistakes that the model must be able to see; each leaves out or changes one rule of the page. */
public enum Flaw {
  /** A node looks at who has passed the gate before it takes the snapshot. */
  LIST_BEFORE_SNAPSHOT,
  /** A node tells only of those that are seen. */
  ONLY_THE_SEEN,
  /** A node counts as over whoever has passed the gate, though some have not ended. */
  OVER_BEFORE_END,
  /** The router forgets whom it has seen on some nodes only. */
  NO_HALVES,
  /** The router judges by what it has learned after the nodes were asked. */
  LATE_KNOWLEDGE,
  /** A transaction passes the gate behind its commit. */
  PASS_AFTER_COMMIT,
  /** It does not matter that a transaction has nodes that are not read. */
  NOTHING_OUTSIDE,
  /**
   * A snapshot is completed by a transaction that had not done all of its work when it was taken.
   */
  COMPLETED_BY_THE_LATE,
  /** The router counts as seen by what a snapshot was completed. */
  COMPLETED_IS_KNOWN
}
