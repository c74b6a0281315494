package org.abelian.router.statement;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.abelian.router.analysis.BodyFacts;
import org.abelian.router.analysis.CallFacts;
import org.abelian.router.analysis.InsertFacts;
import org.abelian.router.analysis.NodeFunctions;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.execution.ColumnOrigins;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.routing.StatementRouter;

/** An analysed statement with its router, and what a session asks about it again and again. */
public final class RoutedStatement {
  private static final Set<UtilityKind> READ_ONLY =
      EnumSet.of(
          UtilityKind.SET,
          UtilityKind.SHOW,
          UtilityKind.RESET,
          UtilityKind.DECLARE,
          UtilityKind.FETCH,
          UtilityKind.CLOSE,
          UtilityKind.COPY_TO,
          UtilityKind.EXPLAIN,
          UtilityKind.LOCK);

  /** Of these, what is written is no row. */
  private static final Set<UtilityKind> ROWLESS = EnumSet.of(UtilityKind.LOCK, UtilityKind.DDL);

  private static final String PG_CURSOR = "pg_cursor";
  private static final String PG_PREPARED_STATEMENT = "pg_prepared_statement";
  private static final String ROUTER_SETTING = "router_setting";
  private static final String PG_NOTIFY = "pg_notify";

  private final StatementRouter router;
  private final boolean writes;
  private final boolean locks;
  private final boolean maySet;
  private final boolean pins;
  private final boolean notifies;
  private final boolean mayHoldLocks;
  private final boolean unpreparable;
  private final boolean asksForCursors;
  private final boolean readsTables;
  private final ExplainCommand explains;
  private final RoutedStatement explained;
  private final ColumnOrigins origins = new ColumnOrigins();
  private final OneNodeOdds odds = new OneNodeOdds();
  private final ReadPace pace = new ReadPace();
  private volatile NodeStatement worker;
  private volatile NodeStatement combine;
  private volatile NodeStatement combined;
  private volatile NodeStatement windowed;

  public RoutedStatement(StatementRouter router) {
    this.router = router;
    StatementFacts facts = router.facts();
    locks = facts.locks();
    maySet = maySet(facts);
    writes = facts.writes() || facts.calls().volatileFunctions() || isWritingUtility(facts);
    pins =
        facts.calls().procedure() == null
            && (facts.usesTemporary()
                || facts.kind() == StatementKind.SELECT && facts.calls().leavesState()
                || facts.command().utility() == UtilityKind.DO
                || facts.command().utility() == UtilityKind.CALL
                || facts.command().utility() == UtilityKind.DECLARE);
    notifies =
        facts.command().utility() == UtilityKind.NOTIFY
            || facts.calls().nodeFunctions().ofOneNode().contains(PG_NOTIFY);
    mayHoldLocks = mayHoldLocks(facts);
    unpreparable =
        notifies
            || facts.command().holds()
            || facts.usesTemporary()
            || writes && mayNotifyUnseen(facts)
            || facts.relations().stream().anyMatch(relation -> isUnpreparable(facts, relation));
    asksForCursors = facts.calls().nodeFunctions().ofNoNode().contains(PG_CURSOR);
    explains = null;
    explained = null;
    readsTables = isPureRead() && facts.relations().stream().noneMatch(RelationFacts::catalog);
  }

  /** EXPLAIN of a statement, which goes where the statement goes. */
  public RoutedStatement(ExplainCommand command, StatementRouter inner) {
    explains = command;
    explained = new RoutedStatement(inner);
    readsTables = false;
    router = new ExplainRouter(inner);
    locks = router.facts().locks();
    maySet = maySet(router.facts());
    writes = command.analyze() && explained.writes;
    notifies = command.analyze() && explained.notifies;
    mayHoldLocks = command.analyze() && explained.mayHoldLocks;
    unpreparable = command.analyze() && explained.unpreparable;
    asksForCursors = explained.asksForCursors;
    pins =
        command.analyze() && explained.pins
            || inner.facts().relations().stream().anyMatch(relation -> relation.temporary());
  }

  /** True when it asks for the cursors of the session. */
  public boolean asksForCursors() {
    return asksForCursors;
  }

  /** True when it asks for prepared statements, and for nothing but what catalogues have. */
  public boolean asksForStatements() {
    return isAbout(PG_PREPARED_STATEMENT);
  }

  /** True when it reads the views of what the router knows of itself, and else only catalogues. */
  public boolean asksForRouter() {
    return isAbout(ROUTER_SETTING);
  }

  private boolean isAbout(String function) {
    StatementFacts facts = router.facts();
    NodeFunctions called = facts.calls().nodeFunctions();
    return called.ofNoNode().equals(List.of(function))
        && called.ofOneNode().isEmpty()
        && called.draws().isEmpty()
        && !called.ofEveryNode()
        && facts.calls().functions().isEmpty()
        && facts.relations().stream().allMatch(RelationFacts::catalog);
  }

  private record ExplainRouter(StatementRouter inner, StatementFacts facts)
      implements StatementRouter {
    ExplainRouter(StatementRouter inner) {
      this(inner, inner.facts().explained());
    }

    @Override
    public Route route(BoundValues values) {
      return inner.route(values);
    }

    @Override
    public Catalog catalog() {
      return inner.catalog();
    }
  }

  /** Definitions and locks fire no triggers of rows. */
  private static boolean isUnpreparable(StatementFacts facts, RelationFacts relation) {
    boolean changesRows =
        facts.kind() != StatementKind.UTILITY || !ROWLESS.contains(facts.command().utility());
    return relation.unpreparable() && (changesRows || !relation.write());
  }

  private static boolean isWritingUtility(StatementFacts facts) {
    return facts.kind() == StatementKind.CLUSTER_CALL
        || facts.kind() == StatementKind.UTILITY && !READ_ONLY.contains(facts.command().utility());
  }

  public StatementFacts facts() {
    return router.facts();
  }

  public StatementRouter router() {
    return router;
  }

  /** The command when it is EXPLAIN of a statement that the router routes; else null. */
  public ExplainCommand explains() {
    return explains;
  }

  /** The statement that EXPLAIN is about; else null. */
  public RoutedStatement explained() {
    return explained;
  }

  /** Where the columns of a combined read come from. */
  public ColumnOrigins origins() {
    return origins;
  }

  /** Whether one node is likely to have all rows that a read with LIMIT wants. */
  public OneNodeOdds odds() {
    return odds;
  }

  /** Whether it is quick enough to go to nodes together with reads of other sessions. */
  public ReadPace pace() {
    return pace;
  }

  /** What workers run of a combined read; null until somebody has made it. */
  public NodeStatement worker() {
    return worker;
  }

  public void worker(NodeStatement statement) {
    worker = statement;
  }

  /** What one node runs over the workers' rows; null until somebody has made it. */
  public NodeStatement combine() {
    return combine;
  }

  public void combine(NodeStatement statement) {
    combine = statement;
  }

  /**
   * What nodes run of a read whose first rows the router skips; null until somebody has made it.
   */
  public NodeStatement windowed() {
    return windowed;
  }

  public void windowed(NodeStatement statement) {
    windowed = statement;
  }

  /** What is run for several sessions; null until somebody has made it. */
  public NodeStatement combined() {
    return combined;
  }

  public void combined(NodeStatement statement) {
    combined = statement;
  }

  /** The utility command; null for others. */
  public UtilityKind utility() {
    return router.facts().command().utility();
  }

  /** True when PostgreSQL refuses it inside a transaction block. */
  public boolean mustBeAlone() {
    return router.facts().command().outsideTransaction();
  }

  /** True when it can be done again later unnoticed. */
  public boolean isBlind() {
    return router.facts().change().blind() != null
        && router.facts().change().blind().redo() != null;
  }

  /** True when it may change something on the nodes that it runs on. */
  public boolean writes() {
    return writes;
  }

  /**
   * True when others may have to wait for the end of its transaction although it changes nothing,
   * and locks no rows: advisory locks, LOCK TABLE, and whatever users' functions do.
   */
  public boolean mayHoldLocks() {
    return mayHoldLocks;
  }

  /** True when others may wait for what it locks; hardly for rows that it inserts. */
  public boolean makesOthersWait() {
    StatementFacts facts = facts();
    InsertFacts insert = facts.change().insert();
    boolean insertsOnly =
        facts.kind() == StatementKind.INSERT
            && insert != null
            && insert.conflict() == null
            && facts.relations().stream().filter(RelationFacts::write).count() == 1;
    return locks || mayHoldLocks || writes && !insertsOnly;
  }

  /** A query that calls users' functions, or inserts what they give: they may notify. */
  private static boolean mayNotifyUnseen(StatementFacts facts) {
    UtilityKind utility = facts.command().utility();
    boolean gives =
        facts.kind() == StatementKind.SELECT
            || facts.kind() == StatementKind.INSERT
            || utility == UtilityKind.CALL
            || utility == UtilityKind.DO;
    return gives && !facts.calls().functions().isEmpty();
  }

  private static boolean mayHoldLocks(StatementFacts facts) {
    UtilityKind utility = facts.command().utility();
    return utility == UtilityKind.LOCK
        || utility == UtilityKind.CALL
        || utility == UtilityKind.DO
        || !facts.calls().functions().isEmpty()
        || facts.calls().nodeFunctions().ofOneNode().stream()
            .anyMatch(name -> name.contains("advisory") || name.contains("query_to_xml"));
  }

  /** True when it notifies those who listen. */
  public boolean notifies() {
    return notifies;
  }

  /**
   * True when PREPARE TRANSACTION may refuse what it has done: it, or a trigger of a table that
   * only its node has, may notify; it declares a cursor that is held, or uses a temporary table.
   */
  public boolean unpreparable() {
    return unpreparable;
  }

  /**
   * True when it only reads tables, whenever and by whomever it is run. What reads no table calls
   * functions, and may have been written for what these do beside their volatility.
   */
  public boolean isPureRead() {
    StatementFacts facts = facts();
    return facts.kind() == StatementKind.SELECT
        && !facts.relations().isEmpty()
        && !writes
        && !pins
        && !facts.calls().mutable()
        && !locks
        && !maySet;
  }

  /** The same of one that reads users' tables and nothing else. */
  public boolean readsTablesOnly() {
    return readsTables;
  }

  /**
   * True when it may do what a rollback does not take back, as advisory locks are taken, or a body
   * commits a part of its work.
   */
  public boolean lasts() {
    CallFacts calls = facts().calls();
    return calls.leavesState() || !calls.nodeFunctions().ofOneNode().isEmpty() || mayCommit();
  }

  private boolean mayCommit() {
    CallFacts calls = facts().calls();
    UtilityKind utility = facts().command().utility();
    BodyFacts body = calls.body();
    boolean isUnseenCall =
        utility == UtilityKind.CALL
            && calls.procedure() == null
            && (body == null || !body.unseen().isEmpty());
    return isUnseenCall || body != null && body.ends() && facts().kind() == StatementKind.UTILITY;
  }

  /** True when a locking clause locks rows. */
  public boolean locks() {
    return locks;
  }

  /** True when it may leave state on the connection that another session must not get. */
  public boolean pins() {
    return pins;
  }

  /** True when it, or a function that it calls, may change a setting. */
  public boolean maySet() {
    return maySet;
  }

  private static boolean maySet(StatementFacts facts) {
    return facts.calls().nodeFunctions().settings()
        || !facts.calls().functions().isEmpty()
        || facts.command().utility() == UtilityKind.CALL
        || facts.command().utility() == UtilityKind.DO;
  }

  /**
   * True when it changes the schema or the placement, so that what is known about statements may no
   * longer hold.
   */
  public boolean changesSchema(Route route) {
    return route instanceof Route.AllNodes all
        && (all.purpose() == Route.Purpose.SCHEMA
            || all.purpose() == Route.Purpose.BLOCK
            || all.purpose() == Route.Purpose.CLUSTER_CALL
            || all.purpose() == Route.Purpose.NODE_BY_NODE);
  }
}
