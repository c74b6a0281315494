package org.abelian.router.analysis;

/**
 * What a utility command does beside what its kind says.
 *
 * @param storesRows true when it stores the rows of a query in a relation, or explains what does
 * @param analyzes true when it is an EXPLAIN that runs what it explains
 * @param holds true when it declares a cursor that outlives its transaction
 * @param temporary true when it is about an object, no relation, that belongs to the session alone
 * @param cursor null unless it is DECLARE
 * @param fetch null unless it is FETCH or MOVE
 */
public record CommandFacts(
    boolean storesRows,
    boolean analyzes,
    boolean holds,
    boolean temporary,
    CursorFacts cursor,
    FetchFacts fetch) {
  /** Of everything else. */
  public static final CommandFacts NONE = new CommandFacts(false, false, false, false, null, null);
}
