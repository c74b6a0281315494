package org.abelian.router.engine;

import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.ColumnOrigins;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.session.BlindOperation;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;

/** One node runs the statement as the client wrote it, and its answers pass as they are. */
public final class SingleNodeExecution extends Execution {
  private final EngineContext context;
  private final RoutedStatement routed;
  private final boolean extended;
  private final NodePortal portal;
  private final ColumnOrigins origins;
  private BlindOperation operation;

  private SingleNodeExecution(
      EngineContext context, BoundStatement bound, NodePortal portal, ColumnOrigins origins) {
    this.context = context;
    this.routed = bound.routed();
    this.extended = bound.extended();
    this.portal = portal;
    this.origins = origins;
  }

  /**
   * Binds it on the node.
   *
   * @param named whether the node is to keep the statement under a name
   * @param described a statement whose description the client wants first; else null
   * @param passing whether the node need not take part in the transaction for it; it must then run
   *     to its end within the group
   */
  public static SingleNodeExecution bind(
      EngineContext context,
      BoundStatement bound,
      Backend backend,
      boolean named,
      SharedStatement described,
      boolean passing) {
    RoutedStatement routed = bound.routed();
    SharedStatement statement = bound.statement();
    if (passing) {
      context.transactions().passBy(backend);
    } else {
      context.transactions().enterOnly(backend, routed, context.group().isOneStatement());
    }
    byte[] name =
        context.backends().prepare(backend, statement.statement(), named, context.replies());
    if (described != null) {
      boolean fetches = routed.utility() == UtilityKind.FETCH;
      boolean same = described == statement; // else it has parameters of the router's own
      byte[] other =
          same && !fetches
              ? name
              : context
                  .backends()
                  .prepareToDescribe(backend, described.statement(), fetches, context.replies());
      backend.connection.writer().begin(FrontendType.DESCRIBE).int1('S').string(other).end();
      context.replies().add(NodeReply.pass(backend.connection));
    }
    bound.bind().write(backend.connection.writer(), name);
    context
        .replies()
        .add(
            bound.extended()
                ? NodeReply.pass(backend.connection)
                : NodeReply.swallow(backend.connection));
    SingleNodeExecution execution = of(context, bound, backend, null);
    if (routed.isBlind()) {
      execution.operation = BlindOperation.of(backend.nodeId, routed, bound.bind());
    }
    return execution;
  }

  /**
   * A portal that the node has already.
   *
   * @param origins of its columns when they are not what the node says; else null
   */
  public static SingleNodeExecution of(
      EngineContext context, BoundStatement bound, Backend backend, ColumnOrigins origins) {
    return new SingleNodeExecution(
        context, bound, new NodePortal(context, backend, bound.portal()), origins);
  }

  @Override
  public void describe(Description wanted) {
    if (origins == null) {
      portal.describe(wanted);
    } else {
      portal.describe();
      context.replies().add(origins.restore(portal.connection()));
    }
  }

  @Override
  public Progress execute(int limit) {
    Backend backend = portal.backend();
    if (!backend.isUsable()) {
      throw ClientError.of("34000", "the portal was lost with the connection to " + backend);
    }
    backend.wrote |= routed.writes();
    remember(context, routed, backend);
    if (routed.facts().returnsRows() || !extended) {
      portal.execute(limit);
    } else {
      portal.run(limit);
    }
    context.replies().add(answer(limit));
    if (context.transactions().state().isLocking()) {
      context.replies().add(RouterWork.then(context.transactions().state()::locked));
      return Progress.BARRIER;
    }
    if (!routed.maySet()) {
      return Progress.NEXT;
    }
    context.transactions().askSettings(backend);
    return Progress.SETTLE;
  }

  private NodeReply answer(int limit) {
    if (operation == null) {
      return NodeReply.pass(portal.connection());
    }
    // The node runs it once, and gives its rows in as many portions as it is asked for.
    boolean inPortions = limit != 0 || operation.isRepeated();
    if (inPortions && routed.facts().returnsRows()) {
      context.transactions().state().work().refuse("its RETURNING is read in portions");
    }
    BlindOperation now = operation.again();
    context.transactions().state().work().operates(now);
    return NodeReply.pass(portal.connection(), now.sum());
  }

  /** The node that runs it. */
  public Backend backend() {
    return portal.backend();
  }

  /** What running a statement on one node means for what comes later. */
  public static void remember(EngineContext context, RoutedStatement routed, Backend backend) {
    if (routed.pins()) {
      backend.pinned = true;
    }
    if (routed.utility() == UtilityKind.DDL) {
      backend.pinned = true;
      context.scope().seesTemporaryObjects();
    }
  }

  @Override
  public void close() {
    portal.close();
  }
}
