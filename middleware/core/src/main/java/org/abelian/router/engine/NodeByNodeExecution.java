package org.abelian.router.engine;

import java.util.HashSet;
import java.util.Set;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Catalog;
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
    Set<Integer> done = new HashSet<>();
    Catalog catalog = bound.routed().router().catalog();
    String tag = null;
    for (Node node = next(catalog, done); node != null; node = next(catalog, done)) {
      QueryResult result = run(context.backends().backend(node), bound.statement().sql());
      if (isOutdated(result)) {
        // Before a node has run it, all of it is routed again.
        Catalog newer = done.isEmpty() ? null : context.retry().learnPlacement();
        if (newer != null) {
          catalog = newer;
          continue;
        }
      } else {
        context.retry().forbid();
      }
      if (!result.succeeded()) {
        throw new ClientError(result.errorFields());
      }
      if (done.isEmpty()) {
        result.notices().forEach(context.replies().output()::pass);
      }
      done.add(node.id());
      tag = result.tag();
    }
    context.replies().output().commandComplete(tag);
    return Progress.NEXT;
  }

  private static Node next(Catalog catalog, Set<Integer> done) {
    return catalog.nodes().stream()
        .filter(node -> !done.contains(node.id()))
        .findFirst()
        .orElse(null);
  }

  /** A node that knows a newer placement says so before it begins. */
  private static boolean isOutdated(QueryResult result) {
    return !result.succeeded()
        && result.errorFields().sqlState().equals(SqlState.STALE_PLACEMENT.code());
  }

  /** The error of a command that must not be in a transaction with others. */
  public static ClientError insideBlock(RoutedStatement routed) {
    return ClientError.of("25001", routed.facts().tag() + " cannot run inside a transaction block");
  }

  private QueryResult run(Backend backend, String sql) {
    try {
      context.backends().connect(backend);
      return NodeCall.simple(backend.connection, sql);
    } catch (NodeLostException lost) {
      throw new ClientError(SessionErrors.effectUnknown(lost.getMessage()));
    }
  }
}
