package org.abelian.router.engine;

import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.HeldRows;
import org.abelian.router.execution.Reply;
import org.abelian.router.routing.Route;
import org.abelian.router.session.IsolationSettings;
import org.abelian.router.statement.OneNodeOdds;
import org.abelian.router.statement.RoutedStatement;

/**
 * A read with LIMIT and no order, of a text whose rows one node alone had before: any rows will do,
 * so one node is asked for all of them. All are asked when it has fewer, since what others give
 * later would be of another snapshot (docs/protocols/reads.md).
 */
final class LimitExecution extends OneNodeFirst {
  private final OneNodeOdds odds;
  private final HeldRows rows;

  private LimitExecution(
      EngineContext context, BoundStatement bound, NodePortal portal, Route.Scatter route) {
    super(
        context,
        bound,
        portal,
        route,
        (again, all) -> ScatterExecution.bind(context, again, (Route.Scatter) all));
    this.odds = bound.routed().odds();
    this.rows = new HeldRows(portal.connection(), sum, route.window().rows());
  }

  /**
   * True when one node is asked first: the client wants all rows at once, and the statement has a
   * snapshot of its own.
   */
  static boolean applies(EngineContext context, BoundStatement bound, Route.Scatter route) {
    RoutedStatement routed = bound.routed();
    return route.takesAny()
        && routed.odds().isLikely()
        && JointSnapshot.isRepeatable(routed)
        && !IsolationSettings.isStrict(context.transactions().state(), context.backends())
        && context.retry().isFirst()
        && context.group().runsToEnd(bound.bind());
  }

  /** Binds it on one node. */
  static Execution bind(EngineContext context, BoundStatement bound, Route.Scatter route) {
    Backend backend = first(context, bound.routed(), route);
    SeveralNodes.enter(context, backend, bound.routed());
    NodePortal portal = new NodePortal(context, backend, bound.portal());
    portal.bind(bound.statement().statement(), true, bound.bind());
    bound.answerBind(context.replies());
    return new LimitExecution(context, bound, portal, route);
  }

  /** One that takes part in the transaction already, else each in its turn. */
  private static Backend first(EngineContext context, RoutedStatement routed, Route.Scatter route) {
    List<Backend> backends = SeveralNodes.backends(context, routed, route.nodes());
    return backends.stream()
        .filter(backend -> backend.begun)
        .findFirst()
        .orElseGet(() -> backends.get(routed.odds().turn(backends.size())));
  }

  @Override
  protected Reply answer() {
    return rows;
  }

  @Override
  protected boolean isEnough() {
    return rows.isEnough();
  }

  @Override
  protected void answered() {
    odds.learn(1, 1);
  }

  @Override
  protected void missed() {
    if (rows.isTooLarge()) {
      odds.giveUp();
    } else {
      odds.learn(0, 1);
    }
  }
}
