package org.abelian.router.analysis;

/** What a statement is. */
public enum StatementKind {
  SELECT,
  INSERT,
  UPDATE,
  DELETE,
  MERGE,
  UTILITY,
  /** A call of one of Abelian's placement functions. */
  CLUSTER_CALL,
  EMPTY;

  /**
   * True for statements that change rows by themselves (a SELECT may still contain one in WITH).
   */
  public boolean modifies() {
    return this == INSERT || this == UPDATE || this == DELETE || this == MERGE;
  }
}
