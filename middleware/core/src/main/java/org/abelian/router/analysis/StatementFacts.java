package org.abelian.router.analysis;

import java.util.List;

/**
 * What a node's abelian.analyze() says about one statement of a query text. Immutable.
 *
 * @param span where the statement stands in the text
 * @param tag the command tag, without counts
 * @param deferred true when an earlier statement of the same text may change what this one means:
 *     only kind, span, tag and utility are known, and it must be analysed again when its turn has
 *     come
 * @param parameters type OIDs as PostgreSQL resolved them; parameter 1 is at index 0
 * @param result names and types of the columns that it returns, as one text; null for commands, and
 *     when it returns none or is not told
 * @param settled the statement with constants that mean the same under all settings for dates and
 *     times; null when it has none that mean something else under others, or is not told
 * @param calls the functions and procedures that it calls
 * @param change how it changes rows
 * @param merge how the parts that several nodes compute become the whole; null when it need not
 * @param command what it does if it is a utility command
 */
public record StatementFacts(
    StatementKind kind,
    Span span,
    String tag,
    boolean deferred,
    List<Integer> parameters,
    boolean returnsRows,
    String result,
    String settled,
    List<RelationFacts> relations,
    List<Equality> equalities,
    List<KeyRange> ranges,
    CallFacts calls,
    ChangeFacts change,
    MergeFacts merge,
    CommandFacts command) {
  /** Copies the lists. */
  public StatementFacts {
    parameters = List.copyOf(parameters);
    relations = List.copyOf(relations);
    equalities = List.copyOf(equalities);
    ranges = List.copyOf(ranges);
  }

  /** True when it changes rows of a table, itself or in WITH. */
  public boolean writes() {
    return kind.modifies() || relations.stream().anyMatch(RelationFacts::write);
  }

  /** True when a locking clause locks rows. */
  public boolean locks() {
    return relations.stream().anyMatch(relation -> relation.locking() != null);
  }

  /** True when it uses a temporary table, which only its session has. */
  public boolean usesTemporary() {
    return relations.stream().anyMatch(RelationFacts::temporary);
  }

  /** The facts of what reads the rows of other nodes by which this statement changes its own. */
  public StatementFacts reading() {
    CallFacts called =
        new CallFacts(
            false,
            false,
            calls.mutable(),
            calls.differs(),
            calls.clock(),
            calls.functions(),
            calls.nodeFunctions(),
            null,
            null);
    return new StatementFacts(
        StatementKind.SELECT,
        span,
        "SELECT",
        deferred,
        parameters,
        true,
        null,
        null,
        relations.stream().map(RelationFacts::reading).toList(),
        equalities,
        ranges,
        called,
        ChangeFacts.NONE,
        merge,
        command);
  }

  /** The facts of EXPLAIN of this statement, which changes nothing by itself. */
  public StatementFacts explained() {
    CallFacts called =
        new CallFacts(
            calls.volatileFunctions(),
            calls.leavesState(),
            calls.mutable(),
            calls.differs(),
            calls.clock(),
            calls.functions(),
            calls.nodeFunctions(),
            null,
            null);
    CommandFacts explain =
        new CommandFacts(
            UtilityKind.EXPLAIN,
            null,
            false,
            null,
            null,
            null,
            command.storesRows(),
            false,
            command.analyzes(),
            command.holds(),
            command.temporary(),
            null,
            null,
            null,
            PreparedFacts.NONE);
    return new StatementFacts(
        StatementKind.UTILITY,
        span,
        "EXPLAIN",
        deferred,
        parameters,
        true,
        null,
        null,
        relations,
        List.of(),
        List.of(),
        called,
        ChangeFacts.NONE,
        null,
        explain);
  }
}
