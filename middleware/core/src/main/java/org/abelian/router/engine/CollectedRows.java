package org.abelian.router.engine;

import java.io.IOException;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.DivertedRows;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.execution.RowSink;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;

/**
 * The rows that a statement of any kind gives, collected by the router: for another statement, or
 * because the client wants to know what running it was like.
 */
public final class CollectedRows {
  private CollectedRows() {}

  /**
   * Runs the statement as it would run alone. Nothing else may wait to be answered.
   *
   * @param binder binds what more than one node may run
   * @param bound with text as the format of its columns
   * @return how many rows it counts
   */
  public static long collect(
      EngineContext context, Binder binder, BoundStatement bound, Route route, RowSink rows)
      throws IOException {
    ReplyQueue replies = context.replies();
    Execution execution = bind(context, binder, bound, route);
    if (execution == null) {
      return 0; // The client was told.
    }
    DivertedRows diverted = new DivertedRows(rows, context.memory());
    replies.divert(diverted);
    try {
      Progress progress = Progress.QUIET;
      while (progress == Progress.QUIET && !replies.failed()) {
        progress = execution.execute(0);
        context.backends().requestAnswers();
        replies.runAll();
      }
    } finally {
      execution.forget();
      replies.endDiversion();
    }
    return diverted.count();
  }

  private static Execution bind(
      EngineContext context, Binder binder, BoundStatement bound, Route route) throws IOException {
    if (!(route instanceof Route.OneNode one)) {
      return binder.bind(bound, route);
    }
    Backend backend = context.backends().backend(bound.routed().router().catalog(), one.node());
    return SingleNodeExecution.bind(context, bound, backend, false, null, false);
  }
}
