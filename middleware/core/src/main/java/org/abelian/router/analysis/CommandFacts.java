package org.abelian.router.analysis;

/**
 * What a utility command does.
 *
 * @param utility which command it is; null for statements that are none
 * @param name what it gives or uses: a savepoint, prepared statement, cursor or channel; null for
 *     others
 * @param outsideTransaction true when PostgreSQL refuses it inside a transaction block
 * @param isolation what BEGIN, SET TRANSACTION or SET SESSION CHARACTERISTICS asks for in lower
 *     case, or null
 * @param setting null unless it is SET, RESET or SHOW
 * @param rewritten the text to run instead, for CALL of a placement function; null otherwise
 * @param storesRows true when it stores the rows of a query in a relation, or explains what does
 * @param fills true when it may compute a value for rows that are there, or a verifier of a
 *     password; all nodes have one clock for it
 * @param analyzes true when it is an EXPLAIN that runs what it explains
 * @param holds true when it declares a cursor that outlives its transaction
 * @param temporary true when it is about an object, no relation, that belongs to the session alone
 * @param cursor null unless it is DECLARE
 * @param fetch null unless it is FETCH or MOVE
 * @param copy null unless it is a COPY of a table
 * @param prepared what it says about a prepared statement
 */
public record CommandFacts(
    UtilityKind utility,
    String name,
    boolean outsideTransaction,
    String isolation,
    SettingFacts setting,
    String rewritten,
    boolean storesRows,
    boolean fills,
    boolean analyzes,
    boolean holds,
    boolean temporary,
    CursorFacts cursor,
    FetchFacts fetch,
    CopyFacts copy,
    PreparedFacts prepared) {
  /** Of everything else. */
  public static final CommandFacts NONE = of(null);

  /** Of a command about which its kind says all. */
  public static CommandFacts of(UtilityKind utility) {
    return new CommandFacts(
        utility,
        null,
        false,
        null,
        null,
        null,
        false,
        false,
        false,
        false,
        false,
        null,
        null,
        null,
        PreparedFacts.NONE);
  }
}
