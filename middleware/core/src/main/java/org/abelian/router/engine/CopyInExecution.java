package org.abelian.router.engine;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.CopyIn;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.RoutedStatement;

/** COPY FROM whose lines belong to several nodes, which all wait for data at the same time. */
public final class CopyInExecution extends Execution {
  private final EngineContext context;
  private final RoutedStatement routed;
  private final Route.CopyIn route;
  private final List<NodePortal> portals;

  private CopyInExecution(
      EngineContext context, RoutedStatement routed, Route.CopyIn route, List<NodePortal> portals) {
    this.context = context;
    this.routed = routed;
    this.route = route;
    this.portals = portals;
  }

  static CopyInExecution bind(EngineContext context, BoundStatement bound, Route.CopyIn route) {
    context.transactions().openImplicit();
    List<NodePortal> portals = new ArrayList<>();
    for (Backend backend : SeveralNodes.backends(context, bound.routed(), route.nodes())) {
      SeveralNodes.enter(context, backend, bound.routed());
      NodePortal portal = new NodePortal(context, backend, bound.portal());
      portal.bind(bound.statement().statement(), false, bound.bind());
      portals.add(portal);
    }
    bound.answerBind(context.replies());
    return new CopyInExecution(context, bound.routed(), route, portals);
  }

  @Override
  public void describe(Description wanted) {
    describeNothing(context.replies(), wanted);
  }

  @Override
  public Progress execute(int limit) {
    if (routed.writes()) {
      context.retry().forbidAfterWrites();
    }
    portals.forEach(portal -> portal.execute(0));
    context
        .replies()
        .add(
            new CopyIn(
                route.table(),
                portals.stream().map(NodePortal::connection).toList(),
                route.division(),
                context.group()::hasSynced));
    return Progress.SETTLE;
  }

  @Override
  public void close() {
    portals.forEach(NodePortal::close);
  }
}
