package org.abelian.router.analysis;

import java.util.List;

/**
 * What a command says about a prepared statement, or about the statement inside of it.
 *
 * @param prepares where the statement stands that PREPARE names; null for others
 * @param innerParameters types of the parameters of a statement inside a command, as PostgreSQL
 *     resolved them
 * @param innerResult what a statement that PREPARE names returns, as {@link StatementFacts#result}
 *     tells it
 * @param executes null unless it runs, explains or stores the rows of a prepared statement
 */
public record PreparedFacts(
    Span prepares, List<Integer> innerParameters, String innerResult, ExecuteFacts executes) {
  /** Of everything else. */
  public static final PreparedFacts NONE = new PreparedFacts(null, List.of(), null, null);

  /** Copies the list. */
  public PreparedFacts {
    innerParameters = List.copyOf(innerParameters);
  }
}
