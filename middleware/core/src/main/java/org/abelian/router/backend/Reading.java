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
   * What decides which values literals have; equal where it is the same. PostgreSQL gives a
   * statement's literals their values when it parses it.
   */
  String literals();

  /**
   * What the open transaction has set that decides what names stand for; empty when nothing. Where
   * that gives a statement other columns, nodes refuse it as it was prepared.
   */
  String names();
}
