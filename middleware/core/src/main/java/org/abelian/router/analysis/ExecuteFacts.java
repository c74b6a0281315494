package org.abelian.router.analysis;

import java.util.List;

/**
 * EXECUTE of a prepared statement: a statement of its own, or behind EXPLAIN or CREATE TABLE AS.
 *
 * @param name of the prepared statement
 * @param span where EXECUTE, the name and the arguments stand in the text
 */
public record ExecuteFacts(String name, Span span, List<Argument> arguments) {
  /** Copies the list. */
  public ExecuteFacts {
    arguments = List.copyOf(arguments);
  }

  /** Whether the value of an argument is known without evaluating it. */
  public enum Constant {
    /** It is an expression. */
    NONE,
    NULL,
    /** A string, which is read as a value of whatever type is wanted. */
    STRING,
    /** Digits that PostgreSQL reads as an integer. */
    INTEGER
  }

  /**
   * An argument.
   *
   * @param span where it stands in the text
   * @param text the value of a constant; null for NULL, and for expressions
   */
  public record Argument(Span span, Constant constant, String text) {}
}
