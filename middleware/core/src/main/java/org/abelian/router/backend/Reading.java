package org.abelian.router.backend;

/**
 * How a session reads texts, as far as nodes do not notice that what they have prepared is read
 * otherwise by now.
 */
public interface Reading {
  /**
   * Another object whenever the session's temporary objects may be others; null while it has none.
   * They are on the first node.
   */
  Object temporaryObjects();

  /**
   * What decides how a statement is read that is prepared now; equal where it is the same.
   * PostgreSQL gives literals their values when it parses a statement, and refuses it as it was
   * prepared where names stand for something else, which the open transaction has set, that gives
   * it other columns.
   */
  String preparedBy();
}
