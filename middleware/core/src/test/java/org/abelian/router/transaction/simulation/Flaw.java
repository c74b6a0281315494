package org.abelian.router.transaction.simulation;

/**
 * Mistakes that the simulation must be able to see; each is built into the world in which the real
 * code runs.
 */
enum Flaw {
  /** The others commit as soon as they are prepared, before the decision. */
  COMMIT_BEFORE_DECISION,
  /** Recovery takes a missing decision for an abort without writing it down. */
  PRESUME_ABORT_SILENTLY,
  /** The decision to commit overlooks an abort that stands. */
  DECIDE_WITHOUT_UNIQUE_INDEX,
  /** The decision commits by itself, before the holder's work. */
  DECIDE_OUTSIDE_TRANSACTION,
  /** Settling does not wait for a decision that is being made. */
  SETTLE_WITHOUT_WAITING,
  /** Aborts are forgotten although their coordinator may still be about to decide. */
  FORGET_ABORTS_BY_AGE,
  /** Commits are forgotten although a node still has them prepared. */
  FORGET_COMMITS_UNASKED,
  /** A vote whose connection was lost counts as a yes. */
  LOST_VOTE_IS_YES,
  /** PREPARE of a failed transaction, which answers ROLLBACK, counts as a yes. */
  TAG_UNCHECKED,
  /** The holder's commit is answered before it is on disk. */
  DECISION_NOT_DURABLE
}
