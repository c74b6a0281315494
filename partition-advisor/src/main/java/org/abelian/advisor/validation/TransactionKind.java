package org.abelian.advisor.validation;

/** What a transaction costs, the cheapest first. */
public enum TransactionKind {
  /** One node. */
  SINGLE,
  /**
   * Several nodes, at most one of which it writes on: reads, whose COMMIT needs nobody's consent.
   */
  READS,
  /** Several nodes, and all its writes are blind commuting operations. */
  COMMUTING,
  /**
   * Several nodes, each of which comes to the same decision by itself: it is one call, whose
   * statements are all known before it begins, none needs a result from another node, and none may
   * abort it by what one node alone has.
   */
  INDEPENDENT,
  /** Several nodes and two-phase commit. */
  COORDINATED
}
