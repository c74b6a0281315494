package org.abelian.router.analysis;

import java.util.List;

/**
 * The functions and procedures that a statement calls, itself or by defaults.
 *
 * @param volatileFunctions true when one may give another value or effect at each call
 * @param leavesState true when one may leave in the session what other sessions must not have, and
 *     the node does not tell of by itself
 * @param mutable true when one may give another value on another node, at another time or with
 *     other settings
 * @param differs true when one may give another value on another node with the same settings
 * @param clock true when one may ask when the transaction has begun, or a trigger may
 * @param functions users' functions that may read or write tables unseen, as schema.name
 * @param nodeFunctions PostgreSQL's own functions that are not the same wherever they run
 * @param procedure null unless the statement is the call of a distributed procedure and nothing
 *     else
 * @param body null unless it is the call of another procedure and nothing else, or DO
 */
public record CallFacts(
    boolean volatileFunctions,
    boolean leavesState,
    boolean mutable,
    boolean differs,
    boolean clock,
    List<String> functions,
    NodeFunctions nodeFunctions,
    ProcedureFacts procedure,
    BodyFacts body) {
  /** Copies the list. */
  public CallFacts {
    functions = List.copyOf(functions);
  }
}
