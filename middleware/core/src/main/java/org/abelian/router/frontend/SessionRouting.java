package org.abelian.router.frontend;

import java.util.HashSet;
import java.util.Set;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.error.AbelianException;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.statement.ClientStatements;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;

/**
 * Where this session's statements go: what their texts and values say, and the little that depends
 * on the session: its cursors, and questions that one node, or the router itself, can answer.
 */
public final class SessionRouting {
  private final EngineContext context;
  private final OutcomeRoute outcomes;
  private final RouterSettings settings;
  private final Portals portals;
  private final NodeCursors cursors;
  private final ClientStatements statements;

  /**
   * @param outcomes who knows what became of a transaction
   * @param settings answers of the router to SHOW
   * @param portals those of the client, cursors over several nodes among them
   * @param cursors those that are nodes' own
   * @param statements the client's prepared statements
   */
  public SessionRouting(
      EngineContext context,
      OutcomeRoute outcomes,
      RouterSettings settings,
      Portals portals,
      NodeCursors cursors,
      ClientStatements statements) {
    this.context = context;
    this.statements = statements;
    this.cursors = cursors;
    this.outcomes = outcomes;
    this.settings = settings;
    this.portals = portals;
  }

  /**
   * Where a statement goes; cursors stay where they were opened.
   *
   * @throws AbelianException when it is refused
   */
  public Route route(SharedStatement statement, RoutedStatement routed, BoundValues values) {
    Route route = special(routed, values);
    if (route == null) {
      route = routed.router().route(values);
    }
    if (route instanceof Route.Refused refused) {
      throw refused.error();
    }
    if (routed.explains() != null) {
      route = route.plain();
    }
    if (routed.utility() == UtilityKind.DECLARE && !(route instanceof Route.Cursor)) {
      String name = routed.facts().command().name();
      portals.requireFree(name);
      int savepoints = context.transactions().state().history().size();
      boolean holds = routed.facts().command().holds();
      cursors.declare(name, single(routed, route), savepoints, holds);
    }
    return route;
  }

  private Route special(RoutedStatement routed, BoundValues values) {
    UtilityKind utility = routed.utility();
    if (utility == UtilityKind.FETCH || utility == UtilityKind.CLOSE) {
      Route own = ofCursor(utility, routed.facts().command().name());
      if (own != null && utility == UtilityKind.CLOSE && !(own instanceof Route.Cursor)) {
        cursors.close(routed.facts().command().name());
      }
      return own;
    }
    Route ofCursors = routed.asksForCursors() ? ofCursors(routed) : null;
    if (ofCursors != null) {
      return ofCursors;
    }
    if (routed.asksForStatements()) {
      return ofStatements(routed);
    }
    if (routed.asksForRouter()) {
      return settings.routeOfViews(routed);
    }
    Route ofRow = ofCurrentRow(routed.explains() == null ? routed : routed.explained());
    if (ofRow != null) {
      return ofRow;
    }
    Route asked = outcomes.route(routed, values);
    return asked == null ? settings.route(routed) : asked;
  }

  /** The one node that has all of the session's cursors; null when none has, or nothing else. */
  private Route ofCursors(RoutedStatement routed) {
    Set<Backend> having = new HashSet<>(cursors.homes());
    having.addAll(context.backends().begun());
    StatementFacts facts = routed.facts();
    boolean alone =
        facts.relations().stream().allMatch(RelationFacts::catalog)
            && facts.calls().nodeFunctions().ofNoNode().size() == 1;
    if (having.size() > 1 || portals.hasCursors() || !alone) {
      return null;
    }
    Backend home =
        having.isEmpty()
            ? context.backends().home(routed.router().catalog())
            : having.iterator().next();
    if (context.transactions().state().isOpen()) {
      context.transactions().enter(home, routed); // BEGIN, too, would be bound to a portal.
    }
    return new Route.OneNode(home.nodeId);
  }

  /** The first node, whose numbers of types clients know, when it is told of the statements. */
  private Route ofStatements(RoutedStatement routed) {
    Backend first = context.backends().backend(routed.router().catalog().first());
    context.transactions().enterOnly(first, routed, true);
    context.transactions().injectOnce(first, ToldStatements.telling(statements));
    return new Route.OneNode(first.nodeId);
  }

  /** WHERE CURRENT OF: the node that has the cursor has the row; null for other statements. */
  private Route ofCurrentRow(RoutedStatement routed) {
    String name = routed.facts().change().currentOf();
    Route own = name == null ? null : ofCursor(UtilityKind.FETCH, name);
    if (own instanceof Route.Cursor) {
      throw AbelianException.unsupported(
          "WHERE CURRENT OF a cursor over several nodes is not supported",
          "Name the row by its key, as in WHERE id = ..., or let the cursor read one key.");
    }
    if (own != null && changesReferenceTable(routed)) {
      throw AbelianException.unsupported(
          "WHERE CURRENT OF is not supported for reference tables: the cursor is on one node",
          "Name the row by its key, as in WHERE id = ....");
    }
    return own;
  }

  private static boolean changesReferenceTable(RoutedStatement routed) {
    return routed.facts().relations().stream()
        .filter(RelationFacts::write)
        .map(relation -> new TableName(relation.schema(), relation.name()))
        .flatMap(name -> routed.router().catalog().placement(name).stream())
        .anyMatch(Placement.Reference.class::isInstance);
  }

  /** Where the cursor of that name is, or with null all of them; null when none is known. */
  private Route ofCursor(UtilityKind utility, String name) {
    boolean here = utility == UtilityKind.CLOSE ? portals.has(name) : portals.hasCursor(name);
    boolean others =
        name == null && (!cursors.homes().isEmpty() || context.backends().begunCount() > 1);
    if (here || others) {
      return new Route.Cursor();
    }
    Backend home = name == null ? null : cursors.home(name);
    return home == null ? null : new Route.OneNode(home.nodeId);
  }

  /**
   * The node has a cursor that outlives the transaction, and is the session's alone from now on.
   */
  static void hold(Backend backend) {
    backend.pinned = true;
    backend.unpreparable = true;
  }

  /** The one node that a statement goes to; null when it concerns several. */
  public Backend single(RoutedStatement routed, Route route) {
    if (route instanceof Route.OneNode one) {
      return context.backends().backend(routed.router().catalog(), one.node());
    }
    return route instanceof Route.AnyNode
        ? context.backends().home(routed.router().catalog())
        : null;
  }
}
