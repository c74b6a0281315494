package org.abelian.models.independent;

/** Mistakes that the model must be able to see; each leaves out or changes one rule of the page. */
public enum Flaw {
  /** Each node executes at its own proposal. */
  NO_MAXIMUM,
  /** The lane executes what is final without regard to what may still come before it. */
  OUT_OF_TIMESTAMP_ORDER,
  /** Proposals follow the clock alone, so one may lie below what has been executed. */
  CLOCK_ALONE,
  /** The executed fragment is not recorded in the transaction that executes it. */
  INTENT_NOT_STORED,
  /** A fragment is acknowledged before it is on disk. */
  ACKNOWLEDGE_BEFORE_FLUSH,
  /** A fragment counts as evidence before it is on disk. */
  EVIDENCE_BEFORE_FLUSH,
  /** Recovery asks who has executed, without keeping them from executing afterwards. */
  CANCEL_WITHOUT_FREEZE,
  /** A node that is asked to freeze what it does not know keeps no tombstone. */
  NO_TOMBSTONE,
  /** A node accepts proposals that were meant for its run before a crash. */
  NO_INCARNATION,
  /** A node does not refuse what was begun before a crash of another participant. */
  NO_FENCE,
  /** A restarted node opens its lane at once. */
  NO_CATCH_UP,
  /** A restarted node asks its peers, but executes again what it lacks a record of. */
  NO_WATERMARK,
  /** Coordinated commits and the lane take no notice of each other. */
  NO_GATE,
  /** A proposal waits at a closed gate until it opens, however long that takes. */
  ENDLESS_WAIT,
  /** A coordinated commit does not carry the timestamps of one of its nodes to the others. */
  NO_CLOCK_EXCHANGE,
  /** A read takes its snapshot as soon as it is told its timestamp. */
  READ_OUT_OF_TURN,
  /** A read keeps no place: what has a greater timestamp does not wait for it. */
  READ_WITHOUT_PLACE
}
