package org.abelian.router.analysis;

import java.util.List;

/**
 * Whether the call of a distributed procedure is nothing but blind operations, each at one key, so
 * that its participants can commit in one round.
 *
 * @param statements what it does, in this order; empty when it is more than that
 * @param reason why it is more, to follow "because"; null when it is not
 */
public record BlindCallFacts(List<Statement> statements, String reason) {
  /**
   * One operation.
   *
   * @param redo the text that does it, which no setting changes the meaning of; refers to the
   *     parameters of the call
   * @param schema of the table
   * @param table its name
   * @param key of the row
   */
  public record Statement(String redo, String schema, String table, Value key) {}

  /** Copies the list. */
  public BlindCallFacts {
    statements = List.copyOf(statements);
  }

  /** Of a call about which nothing is known. */
  public static BlindCallFacts unknown() {
    return new BlindCallFacts(List.of(), "its body is not known");
  }
}
