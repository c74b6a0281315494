package org.abelian.router.session;

import java.util.EnumSet;
import java.util.Set;
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
final class RoutedStatement {
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

  private final StatementRouter router;
  private final boolean writes;
  private final boolean pins;
  private final ExplainCommand explains;
  private final RoutedStatement explained;
  private final MadeForm made;
  private final ColumnOrigins origins = new ColumnOrigins();
  private volatile NodeStatement worker;
  private volatile NodeStatement combine;
  private volatile NodeStatement combined;

  RoutedStatement(StatementRouter router) {
    this(router, (MadeForm) null);
  }

  /** A statement that may have random keys of the router's making. */
  RoutedStatement(StatementRouter router, MadeForm made) {
    this.router = router;
    this.made = made;
    StatementFacts facts = router.facts();
    writes = facts.writes() || facts.volatileFunctions() || isWritingUtility(facts);
    pins =
        facts.procedure() == null
            && (facts.relations().stream().anyMatch(relation -> relation.temporary())
                || facts.kind() == StatementKind.SELECT && facts.volatileFunctions()
                || facts.utility() == UtilityKind.DO
                || facts.utility() == UtilityKind.CALL
                || facts.utility() == UtilityKind.DECLARE);
    explains = null;
    explained = null;
  }

  /** EXPLAIN of a statement, which may have random keys, goes where the statement goes. */
  RoutedStatement(ExplainCommand command, StatementRouter inner, MadeForm made) {
    explains = command;
    explained = new RoutedStatement(inner);
    this.made = made;
    router = new ExplainRouter(inner);
    writes = command.analyze() && explained.writes;
    pins =
        command.analyze() && explained.pins
            || inner.facts().relations().stream().anyMatch(relation -> relation.temporary());
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

  private static boolean isWritingUtility(StatementFacts facts) {
    return facts.kind() == StatementKind.CLUSTER_CALL
        || facts.kind() == StatementKind.UTILITY && !READ_ONLY.contains(facts.utility());
  }

  StatementFacts facts() {
    return router.facts();
  }

  StatementRouter router() {
    return router;
  }

  /** The command when it is EXPLAIN of a statement that the router routes; else null. */
  ExplainCommand explains() {
    return explains;
  }

  /** The statement that EXPLAIN is about; else null. */
  RoutedStatement explained() {
    return explained;
  }

  /** How it is run with random keys of the router's making; null when it has none. */
  MadeForm made() {
    return made;
  }

  /** True when it has random keys that the router could make. */
  boolean hasRandomKeys() {
    return made != null || facts().randomKeys();
  }

  /** True when the node has not told how it is run with such keys. */
  boolean lacksMade() {
    return facts().randomKeys() && facts().made() == null;
  }

  /** Where the columns of a combined read come from. */
  ColumnOrigins origins() {
    return origins;
  }

  /** What workers run of a combined read; null until somebody has made it. */
  NodeStatement worker() {
    return worker;
  }

  void worker(NodeStatement statement) {
    worker = statement;
  }

  /** What one node runs over the workers' rows; null until somebody has made it. */
  NodeStatement combine() {
    return combine;
  }

  void combine(NodeStatement statement) {
    combine = statement;
  }

  /** What is run for several sessions; null until somebody has made it. */
  NodeStatement combined() {
    return combined;
  }

  void combined(NodeStatement statement) {
    combined = statement;
  }

  /** The utility command; null for others. */
  UtilityKind utility() {
    return router.facts().utility();
  }

  /** True when PostgreSQL refuses it inside a transaction block. */
  boolean mustBeAlone() {
    return router.facts().outsideTransaction();
  }

  /** True when it can be done again later unnoticed. */
  boolean isBlind() {
    return router.facts().blind() != null && router.facts().blind().redo() != null;
  }

  /** True when it may change something on the nodes that it runs on. */
  boolean writes() {
    return writes;
  }

  /** True when it may leave state on the connection that another session must not get. */
  boolean pins() {
    return pins;
  }

  /** True when it, or a function that it calls, may change a setting. */
  boolean maySet() {
    return facts().nodeFunctions().settings()
        || !facts().functions().isEmpty()
        || utility() == UtilityKind.CALL
        || utility() == UtilityKind.DO;
  }

  /**
   * True when it changes the schema or the placement, so that what is known about statements may no
   * longer hold.
   */
  boolean changesSchema(Route route) {
    return route instanceof Route.AllNodes all
        && (all.purpose() == Route.Purpose.SCHEMA
            || all.purpose() == Route.Purpose.CLUSTER_CALL
            || all.purpose() == Route.Purpose.NODE_BY_NODE);
  }
}
