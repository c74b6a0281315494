package org.abelian.router.engine;

import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.session.Progress;
import org.abelian.router.session.SessionErrors;
import org.abelian.router.statement.RoutedStatement;

/**
 * A statement that no transaction block may hold (VACUUM, CREATE INDEX CONCURRENTLY): each node
 * runs it by itself, and the first error ends it.
 */
public final class NodeByNodeExecution extends Execution {
  private final EngineContext context;
  private final BoundStatement bound;

  private NodeByNodeExecution(EngineContext context, BoundStatement bound) {
    this.context = context;
    this.bound = bound;
  }

  static NodeByNodeExecution bind(EngineContext context, BoundStatement bound) {
    context.transactions().schemaChanged();
    context.scope().seesUncommittedSchema();
    bound.answerBind(context.replies());
    return new NodeByNodeExecution(context, bound);
  }

  @Override
  public boolean runsQuiet(int limit) {
    return true;
  }

  @Override
  public void describe(Description wanted) {
    describeNothing(context.replies(), wanted);
  }

  @Override
  public Progress execute(int limit) {
    if (context.transactions().state().isBlock()) {
      throw insideBlock(bound.routed());
    }
    context.retry().forbid();
    String tag = null;
    for (Node node : bound.routed().router().catalog().nodes()) {
      QueryResult result = run(context.backends().backend(node), bound.statement().sql());
      if (!result.succeeded()) {
        throw new ClientError(result.errorFields());
      }
      if (tag == null) {
        result.notices().forEach(context.replies().output()::pass);
      }
      tag = result.tag();
    }
    context.replies().output().commandComplete(tag);
    return Progress.NEXT;
  }

  /** The error of a command that must not be in a transaction with others. */
  public static ClientError insideBlock(RoutedStatement routed) {
    return ClientError.of("25001", routed.facts().tag() + " cannot run inside a transaction block");
  }

  /** A node that knows a newer placement says so before it begins: it is asked again. */
  private QueryResult run(Backend backend, String sql) {
    try {
      QueryResult result;
      do {
        context.backends().connect(backend);
        result = NodeCall.simple(backend.connection, sql);
      } while (isOutdated(result) && context.retry().learnsPlacement());
      return result;
    } catch (NodeLostException lost) {
      throw new ClientError(SessionErrors.effectUnknown(lost.getMessage()));
    }
  }

  private static boolean isOutdated(QueryResult result) {
    return !result.succeeded()
        && result.errorFields().sqlState().equals(SqlState.STALE_PLACEMENT.code());
  }
}
