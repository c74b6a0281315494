package org.abelian.router.analysis;

import java.util.List;

/**
 * What a node's abelian.analyze() says about one statement of a query text. Immutable.
 *
 * @param span where the statement stands in the text
 * @param tag the command tag, without counts
 * @param utility null unless the kind is UTILITY
 * @param setting null unless it is SET, RESET or SHOW
 * @param isolation what BEGIN, SET TRANSACTION or SET SESSION CHARACTERISTICS asks for in lower
 *     case, or null
 * @param outsideTransaction true when PostgreSQL refuses it inside a transaction block
 * @param parameters type OIDs as PostgreSQL resolved them; parameter 1 is at index 0
 * @param volatileFunctions true when a function or default may give another value or effect at each
 *     call
 * @param mutable true when a function or default may give another value on another node
 * @param rewritten the text to run instead, for CALL of a placement function; null otherwise
 * @param name what a utility command gives or uses: a savepoint, prepared statement, cursor or
 *     channel; null for others
 * @param deferred true when an earlier statement of the same text may change what this one means:
 *     only kind, span, tag and utility are known, and it must be analysed again when its turn has
 *     come
 * @param functions users' functions that it calls and that may read or write tables unseen, as
 *     schema.name
 * @param nodeFunctions PostgreSQL's own functions that are not the same wherever they run
 * @param command what a utility command does
 * @param insert null unless it inserts
 * @param merge how the parts that several nodes compute become the whole; null when it need not
 * @param copy null unless it is a COPY of a table
 * @param procedure null unless it is the call of a distributed procedure and nothing else
 * @param body null unless it is the call of another procedure, which the node of no cluster was
 *     asked about
 * @param blind null unless it changes rows: whether it can be done again later unnoticed
 * @param combined how it can stand for several of different sessions; null when it cannot
 * @param randomKeys true when it has random keys that the router could make
 * @param prepares where the statement stands that PREPARE names; null for others
 * @param innerParameters types of the parameters of a statement inside a command, as PostgreSQL
 *     resolved them
 * @param executes null unless it runs, explains or stores the rows of a prepared statement
 */
public record StatementFacts(
    StatementKind kind,
    Span span,
    String tag,
    UtilityKind utility,
    SettingFacts setting,
    String isolation,
    boolean outsideTransaction,
    List<Integer> parameters,
    List<RelationFacts> relations,
    List<Equality> equalities,
    List<KeyRange> ranges,
    InsertFacts insert,
    boolean volatileFunctions,
    boolean mutable,
    List<OperationFacts> operations,
    boolean returnsRows,
    String rewritten,
    String name,
    boolean deferred,
    List<String> functions,
    NodeFunctions nodeFunctions,
    CommandFacts command,
    MergeFacts merge,
    CopyFacts copy,
    ProcedureFacts procedure,
    BodyFacts body,
    BlindFacts blind,
    CombinedFacts combined,
    boolean randomKeys,
    Span prepares,
    List<Integer> innerParameters,
    ExecuteFacts executes) {
  /** Copies the lists. */
  public StatementFacts {
    parameters = List.copyOf(parameters);
    relations = List.copyOf(relations);
    equalities = List.copyOf(equalities);
    ranges = List.copyOf(ranges);
    operations = List.copyOf(operations);
    functions = List.copyOf(functions);
    innerParameters = List.copyOf(innerParameters);
  }

  /** True when it changes rows of a table, itself or in WITH. */
  public boolean writes() {
    return kind.modifies() || relations.stream().anyMatch(RelationFacts::write);
  }

  /** True when a locking clause locks rows. */
  public boolean locks() {
    return relations.stream().anyMatch(relation -> relation.locking() != null);
  }

  /** The facts of EXPLAIN of this statement, which changes nothing by itself. */
  public StatementFacts explained() {
    return new StatementFacts(
        StatementKind.UTILITY,
        span,
        "EXPLAIN",
        UtilityKind.EXPLAIN,
        null,
        null,
        false,
        parameters,
        relations,
        List.of(),
        List.of(),
        null,
        volatileFunctions,
        mutable,
        List.of(),
        true,
        null,
        null,
        deferred,
        functions,
        nodeFunctions,
        command,
        null,
        null,
        null,
        null,
        null,
        null,
        false,
        null,
        List.of(),
        null);
  }
}
