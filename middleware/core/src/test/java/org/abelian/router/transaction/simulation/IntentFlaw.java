package org.abelian.router.transaction.simulation;

/** Mistakes in the commuting commit that the simulation must be able to see. */
enum IntentFlaw {
  /** A completion does its operations although the row is there. */
  APPLY_TWICE,
  /** A session commits although it is barred, or recovery has done its part. */
  COMMIT_WITHOUT_UNIQUE_INDEX,
  /** Barring does not wait for a commit that is under way. */
  BAR_WITHOUT_WAITING,
  /** Barring does not write anything down. */
  BAR_SILENTLY,
  /** The row commits by itself, before the node's work. */
  INTENT_OUTSIDE_TRANSACTION,
  /** The row holds the operations of its own node only. */
  INTENT_OF_ONE_NODE,
  /** What was forgotten may come again. */
  HORIZON_UNCHECKED,
  /** Another router's intents are forgotten without closing the nodes to it. */
  RETIRE_WITHOUT_CLOSING,
  /** The commit is answered before it is on disk. */
  INTENT_NOT_DURABLE
}
