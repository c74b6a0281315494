package org.abelian.router.engine;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.JointAnswers;
import org.abelian.router.execution.TagSum;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.RoutedStatement;

/**
 * Several nodes write, each its own rows: an UPDATE or DELETE whose text goes to all of them, or an
 * INSERT of which each gets its part. Counts are added. Rows of RETURNING are given one node after
 * the other, those of an INSERT in the order of its rows. All of it is one transaction.
 */
public final class WriteExecution extends Execution {
  private final EngineContext context;
  private final RoutedStatement routed;
  private final List<NodePortal> portals;
  private final JointAnswers answers;
  private final List<Integer> order;

  /**
   * @param answers those of the nodes, to which what they say to the portals belongs
   * @param order whose each row of an INSERT is; empty for rows that come node by node
   */
  WriteExecution(
      EngineContext context,
      RoutedStatement routed,
      List<NodePortal> portals,
      JointAnswers answers,
      List<Integer> order) {
    this.context = context;
    this.routed = routed;
    this.portals = portals;
    this.answers = answers;
    this.order = order;
  }

  static WriteExecution bind(
      EngineContext context, BoundStatement bound, Route.ScatterWrite route) {
    List<Route.Part> parts =
        route.nodes().stream().map(node -> new Route.Part(node, bound.statement().sql())).toList();
    return bind(context, bound, parts, List.of());
  }

  static WriteExecution bind(EngineContext context, BoundStatement bound, Route.Split route) {
    return bind(context, bound, route.parts(), route.order());
  }

  /**
   * Binds each part.
   *
   * @param order whose each row of the INSERT is; empty when the parts are the whole statement
   */
  private static WriteExecution bind(
      EngineContext context, BoundStatement bound, List<Route.Part> parts, List<Integer> order) {
    boolean whole = order.isEmpty();
    context.transactions().openImplicit();
    RoutedStatement routed = bound.routed();
    List<NodePortal> portals = new ArrayList<>();
    List<Integer> nodes = parts.stream().map(Route.Part::node).toList();
    JointAnswers answers =
        context.backends().joint(SeveralNodes.backends(context, routed, nodes), false);
    SeveralNodes.together(
        context,
        answers,
        () -> parts.forEach(part -> portals.add(portal(context, bound, part, whole))));
    bound.answerBind(context.replies());
    return new WriteExecution(context, routed, portals, answers, order);
  }

  private static NodePortal portal(
      EngineContext context, BoundStatement bound, Route.Part part, boolean whole) {
    RoutedStatement routed = bound.routed();
    Backend backend = context.backends().backend(routed.router().catalog(), part.node());
    SeveralNodes.enter(context, backend, routed);
    NodePortal portal = new NodePortal(context, backend, bound.portal());
    NodeStatement text =
        whole
            ? bound.statement().statement()
            : NodeStatement.of(part.sql(), routed.facts().parameters());
    portal.bind(text, whole, bound.bind());
    return portal;
  }

  @Override
  public void describe(Description wanted) {
    if (!routed.facts().returnsRows()) {
      describeNothing(context.replies(), wanted);
      return;
    }
    portals.get(0).describe(wanted);
  }

  @Override
  public Progress execute(int limit) {
    context.retry().forbidAfterWrites();
    TagSum sum = SeveralNodes.tags(routed);
    boolean inTurn = portals.size() > 1 && context.retry().mustKeepOrder();
    if (inTurn && (order.isEmpty() || !routed.facts().returnsRows())) {
      context.replies().add(new PortalsInTurn(context, portals, sum));
      return Progress.BARRIER;
    }
    if (routed.facts().returnsRows() && !order.isEmpty()) {
      SeveralNodes.executeInTurn(context, portals, order, answers, sum);
    } else {
      SeveralNodes.execute(context, portals, answers, sum);
    }
    return Progress.NEXT;
  }

  @Override
  public void close() {
    portals.forEach(NodePortal::close);
  }
}
