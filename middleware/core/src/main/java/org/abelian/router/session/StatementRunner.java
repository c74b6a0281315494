package org.abelian.router.session;

import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.router.analysis.FactsParser;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeIdentity;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.routing.Routing;

/**
 * Finds out what a statement is and where it goes. What a node says about a text is kept with the
 * text, for all sessions that read names as this one does.
 */
final class StatementRunner {
  private static final NodeStatement ANALYZE =
      NodeStatement.of("SELECT abelian.analyze($1::text, $2::oid[])::text");

  /** The same, and how an INSERT is run with random keys of the router's making. */
  private static final NodeStatement ANALYZE_KEYS =
      NodeStatement.of(
          "SELECT abelian.analyze($1::text, $2::oid[])::text"
              + " FROM set_config('abelian.random_keys', 'on', true)");

  /** Settings that change what a text means. */
  private static final List<String> MEANING =
      List.of(
          "search_path",
          "role",
          "session_authorization",
          "standard_conforming_strings",
          "transform_null_equals",
          // What literals mean: the analysis tells their values.
          "datestyle",
          "timezone",
          "intervalstyle",
          "array_nulls",
          "lc_monetary",
          "xmloption");

  /** What is temporary belongs to one session and lies on the first node only. */
  private static final Pattern TEMPORARY =
      Pattern.compile(
          "\\s*create\\s+(?:or\\s+replace\\s+)?(?:local\\s+|global\\s+)?temp(?:orary)?\\b",
          Pattern.CASE_INSENSITIVE);

  private final Session session;
  private final String identityScope;
  private final OutcomeRoute outcomes;
  private final StatisticsRoute statistics;

  /**
   * Set while this session sees objects that others do not: temporary ones, or changes that are not
   * committed.
   */
  private Object privateScope;

  private Object sharedScope;
  private SettingsSnapshot scopeSettings;

  StatementRunner(Session session, NodeIdentity identity) {
    this.session = session;
    outcomes = new OutcomeRoute(session.router());
    statistics = new StatisticsRoute(session);
    identityScope =
        identity.user() + "\0" + identity.startup().get("database") + "\0" + identity.startup();
  }

  // ---- analysis
  // ----------------------------------------------------------------------------------------------------

  /**
   * The statement with its router; null when a node must be asked and earlier answers come first.
   *
   * @throws RuntimeException the node's error about the text
   */
  RoutedStatement routed(SharedStatement statement) throws IOException {
    return routed(statement, session.extended().keys().maySpread(true));
  }

  /**
   * As above.
   *
   * @param keys whether it is to tell how it is run with random keys of the router's making
   */
  RoutedStatement routed(SharedStatement statement, boolean keys) throws IOException {
    Object scope = scope();
    SharedStatement.Analysed known = statement.analysed();
    Catalog catalog = session.router().catalog().current();
    // Also when another session has analysed it: a connection must not speak for an older version.
    session.settings().placementVersion(catalog.version());
    if (known != null
        && known.scope().equals(scope)
        && known.epoch() == session.router().schemaEpoch()
        && known.routed().router().catalog() == catalog
        && !(keys && known.routed().lacksMade())) {
      return known.routed();
    }
    if (!session.replies().isEmpty()) {
      return null;
    }
    long epoch = session.router().schemaEpoch();
    RoutedStatement routed = compile(statement, catalog, keys);
    statement.analysed(new SharedStatement.Analysed(scope, epoch, routed));
    return routed;
  }

  private RoutedStatement compile(SharedStatement statement, Catalog catalog, boolean keys)
      throws IOException {
    ExplainCommand explain = statement.explain();
    if (explain == null) {
      String sql = statement.sql();
      StatementFacts facts = analyse(statement, sql, keys);
      return new RoutedStatement(
          Routing.compile(sql, facts, catalog),
          MadeForm.of(facts.made(), catalog, session.router().statements()));
    }
    String sql = explain.inner();
    StatementFacts facts = analyse(statement, sql, false);
    MadeForm made = MadeForm.of(facts.made(), catalog, session.router().statements());
    return new RoutedStatement(
        explain,
        Routing.compile(sql, facts, catalog),
        made == null ? null : made.explained(explain, session.router().statements()));
  }

  /** What a node says about the text of a statement, or the part of it that is given. */
  private StatementFacts analyse(SharedStatement statement, String sql, boolean keys)
      throws IOException {
    Backend backend = home();
    if (!backend.isUsable()) {
      throw new AbelianException(
          SqlState.CONNECTION_FAILURE,
          "the connection to " + backend + " was lost",
          "ROLLBACK the transaction.");
    }
    int[] types = statement.statement().types();
    String typeArray =
        IntStream.of(types)
            .mapToObj(Integer::toUnsignedString)
            .collect(Collectors.joining(",", "{", "}"));
    QueryResult result = askAbout(backend, keys ? ANALYZE_KEYS : ANALYZE, sql, typeArray);
    if (!result.succeeded()) {
      backend.skips = backend.touched;
      throw new ClientError(result.errorFields());
    }
    List<StatementFacts> facts = FactsParser.parse(result.value());
    if (facts.size() != 1) {
      throw ClientError.of("42601", "cannot insert multiple commands into a prepared statement");
    }
    return facts.get(0);
  }

  /** The question changes nothing: over an idle connection that broke it is asked again. */
  private QueryResult askAbout(Backend backend, NodeStatement question, String sql, String types)
      throws IOException {
    boolean repeatable = !backend.begun && !backend.touched && !backend.pinned;
    try {
      return NodeCall.prepared(backend.connection, question, !backend.touched, sql, types);
    } catch (NodeLostException lost) {
      if (!repeatable) {
        throw lost;
      }
    }
    session.backends().drop(backend);
    session.backends().connect(backend);
    return NodeCall.prepared(backend.connection, question, true, sql, types);
  }

  private Object scope() {
    if (privateScope != null) {
      return privateScope;
    }
    SettingsSnapshot now = session.settings().snapshot();
    if (now != scopeSettings) {
      StringBuilder text = new StringBuilder(identityScope);
      for (String name : MEANING) {
        String statement = session.settings().statement(name);
        text.append('\0').append(statement == null ? "" : statement);
      }
      sharedScope = text.toString().intern();
      scopeSettings = now;
    }
    return sharedScope;
  }

  /** A transaction that changed the schema ended. */
  void newScope() {
    if (privateScope instanceof Uncommitted) {
      privateScope = null;
    }
  }

  private static final class Uncommitted {}

  /** This session sees a schema that others do not see yet. */
  void seesUncommittedSchema() {
    privateScope = new Uncommitted();
  }

  /** This session has temporary objects. */
  void seesTemporaryObjects() {
    privateScope = new Object();
  }

  /** True while a text may mean something else to this session than to others. */
  boolean seesForItself() {
    return privateScope != null;
  }

  /** The session has no objects of its own any more. */
  void seesWhatAllSee() {
    privateScope = null;
  }

  // ---- where to
  // ----------------------------------------------------------------------------------------------------

  /**
   * The one backend that a statement goes to; null when it concerns several.
   *
   * @throws AbelianException when it is refused
   */
  Backend single(RoutedStatement routed, Route route) {
    if (route instanceof Route.Refused refused) {
      throw refused.error();
    }
    if (session.explain().tells(routed, route)) {
      return null;
    }
    if (route instanceof Route.OneNode one) {
      return session.backends().backend(routed.router().catalog(), one.node());
    }
    return route instanceof Route.AnyNode ? home() : null;
  }

  /** Where a statement goes; cursors stay where they were opened. */
  Route route(String sql, RoutedStatement routed, BoundValues values) {
    UtilityKind utility = routed.utility();
    Backend cursors = session.transaction().cursorHome();
    if (cursors != null && (utility == UtilityKind.FETCH || utility == UtilityKind.CLOSE)) {
      return new Route.OneNode(cursors.nodeId);
    }
    if (utility == UtilityKind.DDL && TEMPORARY.matcher(sql).lookingAt()) {
      return new Route.OneNode(routed.router().catalog().first().id());
    }
    Route outcome = outcomes.route(sql, values);
    if (outcome != null) {
      return outcome;
    }
    Route counts = statistics.route(sql, routed);
    if (counts != null) {
      return counts;
    }
    Route route = routed.router().route(values);
    if (utility == UtilityKind.DECLARE) {
      declare(routed, route, cursors);
    }
    return route;
  }

  private void declare(RoutedStatement routed, Route route, Backend cursors) {
    Backend backend = single(routed, route);
    if (backend == null || cursors != null && cursors != backend) {
      throw AbelianException.unsupported(
          "cursors of one transaction must stay on one node",
          "Give each cursor's query the same distribution key, or read it without a cursor.");
    }
    session.transaction().cursorHome(backend);
  }

  /**
   * The node for statements that any node can answer: one that the session has to do with anyway,
   * or else the first that can be reached. Connected, unless the session's transaction has lost it.
   *
   * @throws AbelianException 08001 when no node can be reached
   */
  Backend home() {
    Backend begun = session.backends().firstBegun();
    if (begun != null) {
      return begun;
    }
    Catalog catalog = session.router().catalog().current();
    Backend last = session.backends().lastUsed();
    Backend preferred = last != null ? last : session.backends().backend(catalog.first());
    try {
      session.backends().connect(preferred);
      return preferred;
    } catch (AbelianException unreachable) {
      return reachable(catalog, preferred, unreachable);
    }
  }

  private Backend reachable(Catalog catalog, Backend preferred, AbelianException unreachable) {
    if (unreachable.state() != SqlState.UNABLE_TO_CONNECT) {
      throw unreachable;
    }
    for (Node node : catalog.nodes()) {
      Backend backend = session.backends().backend(node);
      if (backend == preferred) {
        continue;
      }
      try {
        session.backends().connect(backend);
        return backend;
      } catch (AbelianException alsoUnreachable) {
        unreachable.addSuppressed(alsoUnreachable);
      }
    }
    throw unreachable;
  }

  /** Remembers what running a statement on one node means for what comes later. */
  void noteSingle(RoutedStatement routed, Backend backend) {
    if (routed.pins()) {
      backend.pinned = true;
    }
    if (routed.utility() == UtilityKind.DDL) {
      backend.pinned = true;
      seesTemporaryObjects();
    }
  }
}
