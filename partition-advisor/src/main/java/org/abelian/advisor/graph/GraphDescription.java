package org.abelian.advisor.graph;

import java.util.List;

/**
 * How large a graph is, and how it was made.
 *
 * @param seed of the division and of sampling
 * @param heldOut the share of transactions that it does not know
 * @param transactions how many it is made from
 * @param tuples how many tuples it stands for
 * @param nodes how many nodes stand for them: tuples that are always used together share one
 * @param vertices with those for copies and for transactions
 * @param edges how many
 * @param notes what was left out
 */
public record GraphDescription(
    long seed,
    double heldOut,
    long transactions,
    long tuples,
    long nodes,
    long vertices,
    long edges,
    List<String> notes) {
  /** Copies the list. */
  public GraphDescription {
    notes = List.copyOf(notes);
  }
}
