package org.abelian.advisor.validation;

/** What a transaction costs, the cheapest first. */
public enum TransactionKind {
  /** One node. */
  SINGLE,
  /** Several nodes, of which it only reads. */
  READS,
  /** Several nodes, and all its writes are blind commuting operations. */
  COMMUTING,
  /**
   * Several nodes, each of which comes to the same decision by itself: all statements are known
   * before it begins, none needs a result from another node, and none may abort it by what one node
   * alone has.
   */
  INDEPENDENT,
  /** Several nodes and two-phase commit. */
  COORDINATED
}
