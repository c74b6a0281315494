package org.abelian.router.analysis;

import java.util.List;

/**
 * How an update by operations can stand for several of different sessions.
 *
 * @param text the update, its operands being parameters that come after the statement's own
 * @param parameters type OIDs of all its parameters
 * @param operands where each operand is found in a session's statement, in the order of those
 *     parameters
 */
public record CombinedFacts(String text, List<Integer> parameters, List<Operand> operands) {
  /**
   * An operand of one session.
   *
   * @param value a parameter or a constant
   * @param type the OID of its type: an integer or numeric
   * @param negative true when it is subtracted
   * @param bounded true when the column refuses to leave its bounds
   * @param merge how it becomes one with another session's
   */
  public record Operand(Value value, int type, boolean negative, boolean bounded, Merge merge) {}

  /** How two operands become one. */
  public enum Merge {
    /** They are added up. */
    SUM,
    /** The greater one counts. */
    GREATEST,
    /** The lesser one counts. */
    LEAST
  }

  /** Copies the lists. */
  public CombinedFacts {
    parameters = List.copyOf(parameters);
    operands = List.copyOf(operands);
  }
}
