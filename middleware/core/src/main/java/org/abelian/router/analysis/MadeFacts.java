package org.abelian.router.analysis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * How a statement is run with values that are known before, which its node would make otherwise, or
 * could not know.
 *
 * @param text the statement, each such value being a parameter that comes after its own
 * @param count how many there are
 * @param facts what is to be known of that text
 * @param instead what runs instead of it; null when it runs as it is
 * @param computed how a node computes them, or what gives the rows; null when none is computed
 * @param takesRows true when they are the rows that a query locks or changes, one array for each of
 *     its columns; or when there are none, and bodies of functions stand in the places of calls
 * @param source what is to be known of what computes them if that uses tables; else null
 * @param numbers for each of them the number of the session's that it is; null for another value.
 *     What is neither computed nor such a number is a random key, a version-4 UUID that nobody else
 *     has
 * @param next how that text is run in its turn; null when it runs as it is
 */
public record MadeFacts(
    String text,
    int count,
    StatementFacts facts,
    InsteadFacts instead,
    ComputedFacts computed,
    boolean takesRows,
    Source source,
    List<SessionNumber> numbers,
    MadeFacts next) {
  /**
   * What is to be known of a query that runs before.
   *
   * @param instead what runs instead of it; null when it runs as it is
   * @param made how it is run in its turn; null when it runs as it is
   */
  public record Source(StatementFacts facts, InsteadFacts instead, MadeFacts made) {}

  /** Copies the list. */
  public MadeFacts {
    numbers = Collections.unmodifiableList(new ArrayList<>(numbers)); // which may hold nulls
  }
}
