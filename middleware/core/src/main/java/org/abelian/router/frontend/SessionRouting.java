package org.abelian.router.frontend;

import java.util.OptionalInt;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.error.AbelianException;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.session.TransactionState;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;

/**
 * Where this session's statements go: what their texts and values say, and the little that depends
 * on the session: its cursors, and questions that one node, or the router itself, can answer.
 */
public final class SessionRouting {
  private final EngineContext context;
  private final TransactionState transaction;
  private final OutcomeRoute outcomes;
  private final RouterSettings settings;
  private final Portals portals;

  /** Where a cursor was declared that outlives its transaction; null when none was. */
  private Backend heldCursors;

  /**
   * @param outcomes who knows what became of a transaction
   * @param settings answers of the router to SHOW
   * @param portals those of the client, cursors over several nodes among them
   */
  public SessionRouting(
      EngineContext context, OutcomeRoute outcomes, RouterSettings settings, Portals portals) {
    this.context = context;
    this.transaction = context.transactions().state();
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
    Route route = special(statement, routed, values);
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
      portals.requireFree(routed.facts().command().name());
      declare(single(routed, route));
      if (routed.facts().command().holds()) {
        heldCursors = transaction.cursorHome();
      }
    }
    return route;
  }

  private Route special(SharedStatement statement, RoutedStatement routed, BoundValues values) {
    UtilityKind utility = routed.utility();
    if ((utility == UtilityKind.FETCH || utility == UtilityKind.CLOSE)
        && portals.hasCursor(routed.facts().command().name())) {
      return new Route.Cursor();
    }
    Backend cursors = cursorHome();
    if (cursors != null && (utility == UtilityKind.FETCH || utility == UtilityKind.CLOSE)) {
      return new Route.OneNode(cursors.nodeId);
    }
    if (statement.asksOutcome()) {
      OptionalInt knows = outcomes.node(statement.sql(), values);
      if (knows.isPresent()) {
        return new Route.OneNode(knows.getAsInt());
      }
    }
    return settings.route(statement.sql(), routed);
  }

  /** The transaction has a cursor on that node. */
  void declare(Backend backend) {
    Backend cursors = cursorHome();
    if (backend == null || cursors != null && cursors != backend) {
      throw AbelianException.unsupported(
          "cursors of one transaction must stay on one node",
          "Give each cursor's query the same distribution key, or read it without a cursor.");
    }
    transaction.cursorHome(backend);
  }

  /**
   * The node has a cursor that outlives the transaction, and is the session's alone from now on.
   */
  void hold(Backend backend) {
    backend.pinned = true;
    backend.unpreparable = true;
    heldCursors = backend;
  }

  /** Where the session's cursors are; null while it has none. */
  Backend cursorHome() {
    Backend home = transaction.cursorHome();
    boolean held = heldCursors != null && heldCursors.isUsable() && heldCursors.pinned;
    return home == null && held ? heldCursors : home;
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
