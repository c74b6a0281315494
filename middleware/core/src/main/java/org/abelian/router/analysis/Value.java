package org.abelian.router.analysis;

/** A value that a column is compared with or given. */
public sealed interface Value {
  /**
   * A parameter.
   *
   * @param number from 1
   */
  record Parameter(int number) implements Value {}

  /**
   * A constant of the text.
   *
   * @param text in PostgreSQL's output form of its type, UTF-8
   * @param location byte offset of the literal in the query text, -1 when unknown
   */
  record Constant(String text, int location) implements Value {}

  /** NULL. */
  record Null() implements Value {}

  /** A column of a relation that the statement reads. */
  record Column(ColumnReference reference) implements Value {}

  /** Anything that only a node can compute. */
  record Other() implements Value {}
}
