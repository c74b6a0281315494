package org.abelian.router.analysis;

import java.util.List;

/**
 * How a statement changes rows.
 *
 * @param insert null unless it inserts
 * @param randomKeys true when it has random keys that the router could make
 * @param blind null unless it changes rows: whether it can be done again later unnoticed
 * @param combined how it can stand for several of different sessions; null when it cannot
 * @param unmoved why the rows of an UPDATE of a distribution column cannot go to other nodes; null
 *     for other statements, and where they can
 * @param steps the changes that a MERGE consists of, in their order; empty when it is one
 */
public record ChangeFacts(
    InsertFacts insert,
    boolean randomKeys,
    BlindFacts blind,
    CombinedFacts combined,
    String unmoved,
    List<Step> steps) {
  /** Of a statement that changes none. */
  public static final ChangeFacts NONE = new ChangeFacts(null, false, null, null, null, List.of());

  /** Copies the list. */
  public ChangeFacts {
    steps = List.copyOf(steps);
  }

  /**
   * One of several changes, with the parameters of the whole.
   *
   * @param gathered how its rows come to other nodes if it is an INSERT ... SELECT; else null
   */
  public record Step(String text, StatementFacts facts, GatheredFacts gathered) {}
}
