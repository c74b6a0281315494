package org.abelian.router.engine;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.execution.TagSum;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.RoutedStatement;

/**
 * A change of rows that have entries in lookup indexes: nodes change rows, tell what has changed in
 * indexed columns, and the nodes of the entries keep it. The client gets its tag when all of it is
 * done; it is one transaction.
 */
final class KeepingExecution extends Execution {
  private final EngineContext context;
  private final RoutedStatement routed;
  private final List<NodePortal> portals;
  private final List<Backend> others;
  private final LookupChanges changes;
  private final TagSum sum;
  private boolean asked;

  KeepingExecution(EngineContext context, RoutedStatement routed, List<NodePortal> nodes) {
    this(context, routed, nodes, List.of());
  }

  /**
   * The same.
   *
   * @param others where the statement has changed rows already
   */
  KeepingExecution(
      EngineContext context, RoutedStatement routed, List<NodePortal> nodes, List<Backend> others) {
    this.context = context;
    this.routed = routed;
    this.portals = nodes;
    this.others = others;
    this.changes = new LookupChanges(context, routed);
    this.sum = SeveralNodes.tags(routed);
  }

  static KeepingExecution bind(EngineContext context, BoundStatement bound, Route inner) {
    context.transactions().openImplicit();
    RoutedStatement routed = bound.routed();
    boolean split = inner instanceof Route.Split;
    List<NodePortal> portals = new ArrayList<>();
    for (Route.Part part : parts(inner, bound)) {
      var backend = context.backends().backend(routed.router().catalog(), part.node());
      SeveralNodes.enter(context, backend, routed);
      NodePortal portal = new NodePortal(context, backend, bound.portal());
      NodeStatement text =
          split
              ? NodeStatement.of(part.sql(), routed.facts().parameters())
              : bound.statement().statement();
      portal.bind(text, !split, bound.bind());
      portals.add(portal);
    }
    bound.answerBind(context.replies());
    return new KeepingExecution(context, routed, portals);
  }

  private static List<Route.Part> parts(Route inner, BoundStatement bound) {
    String sql = bound.statement().sql();
    if (inner instanceof Route.Split split) {
      return split.parts();
    } else if (inner instanceof Route.ScatterWrite write) {
      return write.nodes().stream().map(node -> new Route.Part(node, sql)).toList();
    }
    return List.of(new Route.Part(((Route.OneNode) inner).node(), sql));
  }

  @Override
  public void describe(Description wanted) {
    if (!routed.facts().returnsRows()) {
      describeNothing(context.replies(), wanted);
      return;
    }
    portals.get(0).describe(wanted);
  }

  /** Is called again when the nodes have told what has changed. */
  @Override
  public Progress execute(int limit) {
    ReplyQueue replies = context.replies();
    if (asked) {
      changes.apply();
      replies.add(RouterWork.then(() -> replies.output().commandComplete(sum.tag())));
      return Progress.NEXT;
    }
    context.retry().forbidAfterWrites();
    for (NodePortal portal : portals) {
      portal.execute(0);
      replies.add(NodeReply.share(portal.connection(), sum));
      changes.ask(portal.backend());
    }
    List<Backend> asking = portals.stream().map(NodePortal::backend).toList();
    others.stream().filter(other -> !asking.contains(other)).forEach(changes::ask);
    asked = true;
    return Progress.QUIET;
  }

  @Override
  public void close() {
    portals.forEach(NodePortal::close);
  }
}
