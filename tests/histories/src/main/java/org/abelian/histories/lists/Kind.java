package org.abelian.histories.lists;

/** What a transaction does, and by which way it is committed. */
public enum Kind {
  /** One UPDATE with RETURNING, of one key. */
  SINGLE_APPEND(Scope.ONE_NODE, 5),
  /** A block that appends to two keys of one node. */
  SINGLE_BLOCK(Scope.ONE_NODE, 3),
  /** A SELECT of one or two keys of one node. */
  SINGLE_READ(Scope.ONE_NODE, 4),
  /** A block of blind operations: it counts and marks keys of several nodes. */
  COMMUTING(Scope.NODES, 5),
  /** A call that does the same at a key of each of two nodes, in one round. */
  COMMUTING_CALL(Scope.NODES, 4),
  /** A call of a procedure whose participants decide alone. */
  INDEPENDENT(Scope.NODES, 6),
  /** A block that appends to keys of several nodes, and reads. */
  COORDINATED(Scope.NODES, 3),
  /** A call whose vote travels with the work. */
  VOTING_CALL(Scope.NODES, 2),
  /** The same of a function that shows what it has appended to. */
  ANSWERING_CALL(Scope.NODES, 2),
  /** One UPDATE with RETURNING, of keys of several nodes. */
  SPREAD_APPEND(Scope.NODES, 2),
  /** One SELECT of all keys. */
  SPREAD_READ(Scope.ALL, 4),
  /** A call of a function that reads keys of several nodes. */
  READING_CALL(Scope.NODES, 3);

  /** Where the keys of a transaction lie. */
  enum Scope {
    ONE_NODE,
    NODES,
    ALL
  }

  private final Scope scope;
  private final int weight;

  Kind(Scope scope, int weight) {
    this.scope = scope;
    this.weight = weight;
  }

  Scope scope() {
    return scope;
  }

  /** How often it is generated, beside the others' weights. */
  int weight() {
    return weight;
  }

  /** True when all its keys are on one node for certain. */
  public boolean isOfOneNode() {
    return scope == Scope.ONE_NODE;
  }

  /** True when it does nothing but read. */
  public boolean onlyReads() {
    return this == SINGLE_READ || this == SPREAD_READ || this == READING_CALL;
  }

  /** True when it counts and marks. */
  boolean marks() {
    return this == COMMUTING || this == COMMUTING_CALL;
  }

  /** True when it is a block of statements, with BEGIN and COMMIT. */
  public boolean isBlock() {
    return this == SINGLE_BLOCK || this == COMMUTING || this == COORDINATED;
  }
}
