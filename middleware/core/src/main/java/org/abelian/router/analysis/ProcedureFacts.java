package org.abelian.router.analysis;

import java.util.List;

/**
 * What a router must know of a statement that is nothing but a call of one distributed procedure.
 *
 * @param signature identifies the procedure in the whole cluster
 * @param schema of the table whose placement says which node has a key
 * @param table the name of that table
 * @param keys the values of the arguments that name keys; arrays stand with their elements
 * @param arguments the values of each argument, arrays by their elements; empty where they are not
 *     known
 * @param unbound true when there are keys that only a node can compute, or when none are declared:
 *     all nodes take part
 * @param merge how the participants' results become one
 * @param reach how far its calls may reach
 * @param stopped why nobody may call it any more; empty when all may
 * @param computed true when an argument may come out differently on another node
 * @param columns type OIDs of the columns of its result
 * @param blind whether it is nothing but blind operations
 */
public record ProcedureFacts(
    String signature,
    String schema,
    String table,
    List<Value> keys,
    List<List<Value>> arguments,
    boolean unbound,
    Merge merge,
    Reach reach,
    String stopped,
    boolean computed,
    List<Integer> columns,
    BlindCallFacts blind) {
  /** How far calls may reach, and how they are committed then. */
  public enum Reach {
    /** Every participant decides alike and needs no value of another. */
    INDEPENDENT,
    /** The participants vote. */
    COORDINATED,
    /** One node only: a value of one key's rows reaches those of another. */
    SINGLE
  }

  /** How the participants' results become one. */
  public enum Merge {
    /** The first row that a participant gives, those of the first key first. */
    FIRST,
    /** One row: each column is the sum of the participants'. */
    SUM,
    /** All rows of all participants. */
    UNION
  }

  /** Copies the lists. */
  public ProcedureFacts {
    keys = List.copyOf(keys);
    arguments = arguments.stream().map(List::copyOf).toList();
    columns = List.copyOf(columns);
  }
}
