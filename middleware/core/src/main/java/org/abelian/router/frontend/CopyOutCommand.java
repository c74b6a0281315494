package org.abelian.router.frontend;

import java.io.IOException;
import java.util.List;
import org.abelian.router.analysis.CopyOutFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.CommandExecution;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.Execution;
import org.abelian.router.engine.Executor;
import org.abelian.router.engine.SingleNodeExecution;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.CopyOut;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.Encodings;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.AnalysedStatement;
import org.abelian.router.statement.BoundParameters;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;

/**
 * COPY TO the client of rows of several nodes. Its query runs as it would alone, so that all rows
 * are of one moment, and the router writes them as COPY does.
 */
public final class CopyOutCommand {
  private final EngineContext context;
  private final Executor executor;
  private final SessionRouting routing;
  private final SessionStatements statements;

  public CopyOutCommand(Executor executor, SessionRouting routing, SessionStatements statements) {
    this.context = executor.context();
    this.executor = executor;
    this.routing = routing;
    this.statements = statements;
  }

  /** What runs the command. */
  Execution bind(BoundStatement bound) {
    CopyOutFacts copy = bound.routed().facts().command().copy().out();
    if (copy.encoding() != null && !Encodings.isUtf8(copy.encoding())) {
      throw AbelianException.unsupported(
          "COPY TO from several nodes in the encoding " + copy.encoding() + " is not supported",
          "Leave the option ENCODING out, and convert the data from UTF-8.");
    }
    byte[] body = NodeStatement.of(copy.source()).body();
    bound.answerBind(context.replies());
    return new CommandExecution(
        context.replies(), () -> run(copy, statements.intern(body), message(copy.binary())));
  }

  private Progress run(CopyOutFacts copy, SharedStatement statement, byte[] message)
      throws IOException {
    ReplyQueue replies = context.replies();
    AnalysedStatement analysed = statements.analysed(statement);
    if (analysed == null || !replies.isEmpty()) {
      return Progress.QUIET;
    }
    BindMessage bind = new BindMessage();
    bind.look(message, 0);
    BoundStatement bound = statements.keys().bound(statement, analysed, bind);
    if (bound == null) {
      return Progress.QUIET;
    }
    RoutedStatement routed = bound.routed();
    Route route = routing.route(bound.statement(), routed, new BoundParameters(bind)).plain();
    Backend single = routing.single(routed, route);
    Execution execution = single == null ? several(bound, route) : one(bound, single);
    if (execution == null) {
      return Progress.QUIET;
    }
    CopyOut out = new CopyOut(copy, context.memory());
    replies.add(RouterWork.then(() -> replies.divert(out)));
    execution.describe(Execution.Description.COLUMNS);
    Progress progress = execution.execute(0);
    replies.add(RouterWork.always(() -> end(routed, route)));
    return progress;
  }

  private Execution one(BoundStatement bound, Backend backend) {
    return SingleNodeExecution.bind(context, bound, backend, false, null, false);
  }

  private Execution several(BoundStatement bound, Route route) throws IOException {
    if (!(route instanceof Route.Scatter)) {
      throw AbelianException.unsupported(
          "COPY of a query that changes rows of several nodes is not supported",
          "Run the query by itself, or restrict the distribution column to one value.");
    }
    return executor.bind(bound, route);
  }

  /** After an error nobody wants the rows that still come. */
  private void end(RoutedStatement routed, Route route) {
    boolean failed = context.replies().failed();
    context.replies().endDiversion();
    if (failed && route instanceof Route.Scatter scatter) {
      List<Backend> backends =
          scatter.nodes().stream()
              .map(node -> context.backends().backend(routed.router().catalog(), node))
              .filter(Backend::isUsable)
              .toList();
      context.backends().cancel(backends);
    }
  }

  /** A Bind without values. */
  private static byte[] message(boolean binary) {
    ByteQueue queue = new ByteQueue(32);
    FrameWriter writer = new FrameWriter(queue);
    writer.begin(FrontendType.BIND).int1(0).int1(0).int2(0).int2(0);
    writer.int2(1).int2(binary ? 1 : 0).end();
    return queue.toByteArray();
  }
}
