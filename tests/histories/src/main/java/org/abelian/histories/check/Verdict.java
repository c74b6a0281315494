package org.abelian.histories.check;

/** What the checker says of a history. */
public enum Verdict {
  LEGAL,
  /** No order of snapshots, row changes and commits explains the answers. */
  NO_COMMIT_ORDER,
  /** Snapshots explain the answers, but no serial order of the committed transactions does. */
  NO_SERIAL_ORDER,
  /** The search was cut off; nothing is known. */
  UNDECIDED
}
