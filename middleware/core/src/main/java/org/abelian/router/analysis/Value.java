package org.abelian.router.analysis;

/** A value that a column is compared with or given. */
public sealed interface Value {
  /**
   * A parameter.
   *
   * @param number from 1
   * @param base the OID of the type below when its own is a domain; else 0
   */
  record Parameter(int number, int base) implements Value {
    /** One whose type is no domain. */
    public Parameter(int number) {
      this(number, 0);
    }
  }

  /**
   * A parameter that is stored after a cast of assignment, which may change it.
   *
   * @param parameter before the cast
   * @param type the name of the type, as format_type() gives it
   */
  record CastParameter(Parameter parameter, String type) implements Value {}

  /** Each element of a parameter that is an array; only as a member of a list. */
  record ParameterElements(int number) implements Value {}

  /**
   * A constant.
   *
   * @param text in PostgreSQL's output form of its type, UTF-8
   * @param type the OID of its type; 0 when unknown
   * @param location byte offset of the literal in the query text; -1 when it is not a literal of
   *     the text
   */
  record Constant(String text, int type, int location) implements Value {}

  /** NULL. */
  record Null() implements Value {}

  /** A column of a relation that the statement reads. */
  record Column(ColumnReference reference) implements Value {}

  /** Anything that only a node can compute. */
  record Other() implements Value {}
}
