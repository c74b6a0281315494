package org.abelian.histories.check;

/** What a SELECT without a locking clause promises. */
public enum Reads {
  /** PostgreSQL's: what the snapshot shows. */
  SNAPSHOT,
  /**
   * {@code abelian.strict_reads}: the rows and plain columns of the snapshot; of the counters the
   * value that they keep until the transaction ends.
   */
  STRICT
}
