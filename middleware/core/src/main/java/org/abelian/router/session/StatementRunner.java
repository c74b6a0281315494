package org.abelian.router.session;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.router.analysis.FactsParser;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
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
          "row_security",
          "session_replication_role",
          // What literals mean: the analysis tells their values.
          "DateStyle",
          "TimeZone",
          "IntervalStyle",
          "array_nulls",
          "lc_monetary",
          "xmloption");

  /** The same as the analysis of SET writes them. */
  private static final Set<String> MEANT =
      MEANING.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());

  private final Session session;
  private final String identityScope;
  private final OutcomeRoute outcomes;
  private final StatisticsRoute statistics;

  /** Set while this session sees changes of the schema that are not committed. */
  private Object uncommitted;

  /** Set while this session has temporary objects; they are on the first node. */
  private Object temporary;

  /** Where a cursor was declared that outlives its transaction; null when none was. */
  private Link heldCursors;

  private String sharedScope;
  private SettingsSnapshot scopeSettings;

  StatementRunner(Session session, NodeIdentity identity) {
    this.session = session;
    outcomes = new OutcomeRoute(session.router());
    statistics = new StatisticsRoute(session);
    identityScope = identity.startup().toString();
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
    if (!session.plan().isEmpty()) {
      return null;
    }
    long epoch = session.router().schemaEpoch();
    Link analyst = analyst();
    if (analyst == null) {
      return null;
    }
    RoutedStatement routed = compile(statement, catalog, analyst, keys);
    statement.analysed(new SharedStatement.Analysed(scope, epoch, routed));
    return routed;
  }

  /**
   * The node that is asked what a text is: one that sees what the session sees. Null when it must
   * join the transaction first, of which it has then been told.
   */
  private Link analyst() {
    boolean setsMeaning = !session.transaction().changesOf(MEANT).isEmpty();
    Link link = home();
    if (temporary == null && !setsMeaning) {
      return link;
    }
    if (session.transaction().isOpen() && !link.begun) {
      session.control().enter(link, false);
      return null;
    }
    session.links().connect(link);
    return link;
  }

  private RoutedStatement compile(
      SharedStatement statement, Catalog catalog, Link analyst, boolean keys) throws IOException {
    ExplainCommand explain = statement.explain();
    if (explain == null) {
      return compileWhole(statement, catalog, analyst, keys);
    }
    String sql = explain.inner();
    StatementFacts facts = analyse(analyst, statement, sql, false);
    if (facts.kind() == StatementKind.UTILITY && !explain.call()) {
      return compileWhole(statement, catalog, analyst, keys); // SELECT INTO
    }
    MadeForm made = MadeForm.of(facts.made(), catalog, session.router().statements());
    return new RoutedStatement(
        explain,
        Routing.compile(sql, facts, catalog),
        made == null ? null : made.explained(explain, session.router().statements()));
  }

  private RoutedStatement compileWhole(
      SharedStatement statement, Catalog catalog, Link analyst, boolean keys) throws IOException {
    String sql = statement.sql();
    StatementFacts facts = analyse(analyst, statement, sql, keys);
    return new RoutedStatement(
        Routing.compile(sql, facts, catalog),
        MadeForm.of(facts.made(), catalog, session.router().statements()));
  }

  /** What a node says about the text of a statement, or the part of it that is given. */
  private StatementFacts analyse(Link link, SharedStatement statement, String sql, boolean keys)
      throws IOException {
    if (!link.isUsable()) {
      throw new AbelianException(
          SqlState.CONNECTION_FAILURE,
          "the connection to " + link + " was lost",
          "ROLLBACK the transaction.");
    }
    int[] types = statement.statement().types();
    String typeArray =
        IntStream.of(types)
            .mapToObj(Integer::toUnsignedString)
            .collect(Collectors.joining(",", "{", "}"));
    QueryResult result = askAbout(link, keys ? ANALYZE_KEYS : ANALYZE, sql, typeArray);
    if (!result.succeeded()) {
      link.skips = link.touched;
      throw new Failure(result.errorFields());
    }
    List<StatementFacts> facts = FactsParser.parse(result.value());
    if (facts.size() != 1) {
      throw Failure.of("42601", "cannot insert multiple commands into a prepared statement");
    }
    return facts.get(0);
  }

  /** The question changes nothing: over an idle connection that broke it is asked again. */
  private QueryResult askAbout(Link link, NodeStatement question, String sql, String types)
      throws IOException {
    boolean repeatable = !link.begun && !link.touched && !link.pinned;
    try {
      return NodeCall.prepared(link.connection, question, !link.touched, sql, types);
    } catch (NodeLostException lost) {
      if (!repeatable) {
        throw lost;
      }
    }
    session.links().drop(link);
    session.links().connect(link);
    return NodeCall.prepared(link.connection, question, true, sql, types);
  }

  private Object scope() {
    if (seesForItself()) {
      return uncommitted != null ? uncommitted : temporary;
    }
    SettingsSnapshot now = session.settings().snapshot();
    if (now != scopeSettings) {
      StringBuilder text = new StringBuilder(identityScope);
      for (String name : MEANING) {
        String value = now.wanted().value(name);
        text.append('\0').append(value == null ? "" : "=" + value);
      }
      sharedScope = text.toString().intern();
      scopeSettings = now;
    }
    String made = session.transaction().changesOf(MEANT);
    return made.isEmpty() ? sharedScope : sharedScope + "\0" + made;
  }

  /** A transaction that changed the schema ended. */
  void newScope() {
    uncommitted = null;
  }

  /** This session sees a schema that others do not see yet. */
  void seesUncommittedSchema() {
    uncommitted = new Object();
  }

  /** This session has temporary objects, or other ones than before. */
  void seesTemporaryObjects() {
    temporary = new Object();
  }

  /** True while a text may mean something else to this session than to others. */
  boolean seesForItself() {
    return uncommitted != null || temporary != null;
  }

  /** The session has no objects of its own any more. */
  void seesWhatAllSee() {
    uncommitted = null;
    temporary = null;
  }

  // ---- where to
  // ----------------------------------------------------------------------------------------------------

  /**
   * The one link that a statement goes to; null when it concerns several.
   *
   * @throws AbelianException when it is refused
   */
  Link single(RoutedStatement routed, Route route) {
    if (route instanceof Route.Refused refused) {
      throw refused.error();
    }
    if (session.explain().tells(routed, route)) {
      return null;
    }
    if (route instanceof Route.OneNode one) {
      return session.links().link(routed.router().catalog(), one.node());
    }
    return route instanceof Route.AnyNode ? home() : null;
  }

  /** Where a statement goes; cursors stay where they were opened. */
  Route route(String sql, RoutedStatement routed, BoundValues values) {
    UtilityKind utility = routed.utility();
    Link cursors = cursorHome();
    if (cursors != null && (utility == UtilityKind.FETCH || utility == UtilityKind.CLOSE)) {
      return new Route.OneNode(cursors.nodeId);
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

  private void declare(RoutedStatement routed, Route route, Link cursors) {
    Link link = single(routed, route);
    if (link == null || cursors != null && cursors != link) {
      throw AbelianException.unsupported(
          "cursors of one transaction must stay on one node",
          "Give each cursor's query the same distribution key, or read it without a cursor.");
    }
    session.transaction().cursorHome(link);
    if (routed.facts().command().holds()) {
      heldCursors = link;
    }
  }

  /** Where the session's cursors are; null while it has none. */
  private Link cursorHome() {
    Link home = session.transaction().cursorHome();
    boolean held = heldCursors != null && heldCursors.isUsable() && heldCursors.pinned;
    return home == null && held ? heldCursors : home;
  }

  /**
   * The node for statements that any node can answer: one that the session has to do with anyway,
   * or else the first that can be reached; that of the temporary objects, if there are some, which
   * it may name. Connected, unless the session's transaction has lost it.
   *
   * @throws AbelianException 08001 when no node can be reached
   */
  Link home() {
    Catalog catalog = session.router().catalog().current();
    if (temporary != null) {
      Link first = session.links().link(catalog.first());
      if (!first.begun) {
        session.links().connect(first);
      }
      return first;
    }
    Link begun = session.links().firstBegun();
    if (begun != null) {
      return begun;
    }
    Link last = session.links().lastUsed();
    Link preferred = last != null ? last : session.links().link(catalog.first());
    try {
      session.links().connect(preferred);
      return preferred;
    } catch (AbelianException unreachable) {
      return reachable(catalog, preferred, unreachable);
    }
  }

  private Link reachable(Catalog catalog, Link preferred, AbelianException unreachable) {
    if (unreachable.state() != SqlState.UNABLE_TO_CONNECT) {
      throw unreachable;
    }
    for (Node node : catalog.nodes()) {
      Link link = session.links().link(node);
      if (link == preferred) {
        continue;
      }
      try {
        session.links().connect(link);
        return link;
      } catch (AbelianException alsoUnreachable) {
        unreachable.addSuppressed(alsoUnreachable);
      }
    }
    throw unreachable;
  }

  /** Remembers what running a statement on one node means for what comes later. */
  void noteSingle(RoutedStatement routed, Link link) {
    if (routed.pins()) {
      link.pinned = true;
    }
    if (routed.utility() == UtilityKind.DDL) {
      link.pinned = true;
      seesTemporaryObjects();
    }
  }
}
