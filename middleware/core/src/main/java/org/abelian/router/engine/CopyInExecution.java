package org.abelian.router.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.CopyAddition;
import org.abelian.router.execution.CopyIn;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.RoutedStatement;

/** COPY FROM whose lines belong to several nodes, which all wait for data at the same time. */
public final class CopyInExecution extends Execution {
  private final EngineContext context;
  private final RoutedStatement routed;
  private final Route.CopyIn route;
  private final List<NodePortal> portals;
  private final CopyAddition addition;

  /** Lookup indexes have to be told. */
  private final boolean kept;

  private CopyInExecution(
      EngineContext context,
      RoutedStatement routed,
      Route.CopyIn route,
      List<NodePortal> portals,
      CopyAddition addition,
      boolean kept) {
    this.context = context;
    this.routed = routed;
    this.route = route;
    this.portals = portals;
    this.addition = addition;
    this.kept = kept;
  }

  /**
   * Binds it on all of the nodes.
   *
   * @param kept whether lookup indexes must be told of the rows
   * @return null when a node has failed, and the client was told
   */
  static CopyInExecution bind(
      EngineContext context, BoundStatement bound, Route.CopyIn route, boolean kept)
      throws IOException {
    context.transactions().openImplicit();
    CopyAddition addition = null;
    NodeStatement text = bound.statement().statement();
    if (route.added() != null) {
      addition = ComputedColumns.of(context, bound, route);
      if (addition == null) {
        return null;
      }
      text = NodeStatement.of(route.added().text());
    }
    List<NodePortal> portals = new ArrayList<>();
    for (Backend backend : SeveralNodes.backends(context, bound.routed(), route.nodes())) {
      SeveralNodes.enter(context, backend, bound.routed());
      NodePortal portal = new NodePortal(context, backend, bound.portal());
      portal.bind(text, false, bound.bind());
      portals.add(portal);
    }
    bound.answerBind(context.replies());
    return new CopyInExecution(context, bound.routed(), route, portals, addition, kept);
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
    List<Backend> backends = portals.stream().map(NodePortal::backend).toList();
    context
        .replies()
        .add(
            new CopyIn(
                route.table(),
                portals.stream().map(NodePortal::connection).toList(),
                route.division(),
                addition,
                kept ? () -> new LookupChanges(context, routed).keepNow(backends) : null,
                context.group()::hasSynced));
    return Progress.SETTLE;
  }

  @Override
  public void close() {
    portals.forEach(NodePortal::close);
  }
}
