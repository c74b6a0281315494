package org.abelian.router.analysis;

/**
 * How a statement changes rows.
 *
 * @param insert null unless it inserts
 * @param randomKeys true when it has random keys that the router could make
 * @param blind null unless it changes rows: whether it can be done again later unnoticed
 * @param combined how it can stand for several of different sessions; null when it cannot
 * @param unmoved why the rows of an UPDATE of a distribution column cannot go to other nodes; null
 *     for other statements, and where they can
 * @param currentOf the cursor of WHERE CURRENT OF; null when there is none
 */
public record ChangeFacts(
    InsertFacts insert,
    boolean randomKeys,
    BlindFacts blind,
    CombinedFacts combined,
    String unmoved,
    String currentOf) {
  /** Of a statement that changes none. */
  public static final ChangeFacts NONE = new ChangeFacts(null, false, null, null, null, null);
}
