package org.abelian.router.explain;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.Execution;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.PlanText;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.session.TransactionWork;
import org.abelian.router.statement.BoundParameters;
import org.abelian.router.statement.ExplainCommand;
import org.abelian.router.statement.RoutedStatement;

/**
 * Answers an EXPLAIN: lines of the router's own, and the plans of nodes after them. With ANALYZE
 * the nodes run the statement in the session's transaction.
 */
public final class ExplainExecution extends Execution {
  private final EngineContext context;
  private final RoutedStatement routed;
  private final byte[] name;
  private final int[] resultFormats;
  private final List<String> lines;
  private final List<ExplainText.Part> parts;

  private ExplainExecution(
      EngineContext context,
      BoundStatement bound,
      List<String> lines,
      List<ExplainText.Part> parts) {
    this.context = context;
    this.routed = bound.routed();
    this.name = bound.portal();
    this.resultFormats = bound.bind().resultFormats();
    this.lines = lines;
    this.parts = parts;
  }

  /** Binds it on the nodes whose plans are shown. */
  public static ExplainExecution bind(
      EngineContext context, BoundStatement bound, Route route, ExplainText text) {
    RoutedStatement routed = bound.routed();
    ExplainCommand command = routed.explains();
    check(command, route);
    BoundValues values = new BoundParameters(bound.bind());
    if (values.count() < routed.facts().parameters().size()) {
      throw ClientError.of("42P02", "there is no parameter $" + (values.count() + 1));
    }
    List<String> lines = text.lines();
    List<ExplainText.Part> parts = text.parts();
    boolean writesOnSeveral = routed.writes() && parts.size() > 1;
    if (writesOnSeveral) {
      context.transactions().openImplicit();
    }
    for (ExplainText.Part part : parts) {
      context.transactions().enter(part.backend(), routed);
      if (writesOnSeveral) {
        context.transactions().state().work().refuse(TransactionWork.SEVERAL_NODES);
      }
      bindOn(
          context,
          part.backend(),
          NodeStatement.of(command.ofText(part.sql()), routed.facts().parameters()),
          bound.bind());
    }
    bound.answerBind(context.replies());
    return new ExplainExecution(context, bound, lines, parts);
  }

  private static void check(ExplainCommand command, Route route) {
    if (!command.text()) {
      throw AbelianException.unsupported(
          "the plan of a statement for several nodes, or of a CALL, is given as text only",
          "Leave FORMAT out, or restrict the distribution column to one value.");
    }
    boolean runs =
        !command.call()
            && (route instanceof Route.OneNode
                || route instanceof Route.AnyNode
                || route instanceof Route.Scatter
                || route instanceof Route.ScatterWrite
                || route instanceof Route.Split);
    if (command.analyze() && !runs) {
      throw AbelianException.unsupported(
          "EXPLAIN ANALYZE does not run calls of distributed procedures, nor statements that all"
              + " nodes run alike",
          "Leave ANALYZE out, or run the statement itself.");
    }
  }

  /** The rows are text whatever the client asks for, since it gets the same bytes in both. */
  private static void bindOn(
      EngineContext context, Backend backend, NodeStatement statement, BindMessage bind) {
    byte[] prepared = context.backends().prepare(backend, statement, true, context.replies());
    bind.begin(backend.connection.writer(), prepared)
        .bytes(bind.array(), bind.tailAt(), bind.resultFormatsAt() - bind.tailAt())
        .int2(0)
        .end();
    context.replies().add(NodeReply.swallow(backend.connection));
  }

  @Override
  public void describe(Description wanted) {
    context
        .replies()
        .add(
            wanted == Description.FULL
                ? PlanText.description(resultFormats)
                : PlanText.description());
  }

  /** A row limit is of no use for so few rows. */
  @Override
  public Progress execute(int limit) {
    if (routed.writes()) {
      context.retry().forbidAfterWrites();
    }
    List<List<String>> plans = new ArrayList<>();
    for (ExplainText.Part part : parts) {
      Backend backend = part.backend();
      context.backends().touch(backend);
      backend.wrote |= routed.writes();
      backend.connection.writer().begin(FrontendType.EXECUTE).string(name).int4(0).end();
      List<String> plan = new ArrayList<>();
      plans.add(plan);
      context
          .replies()
          .add(
              new CollectReply(
                  backend.connection,
                  row -> plan.add(new String(row[0], StandardCharsets.UTF_8)),
                  () -> {}));
    }
    context
        .replies()
        .add(RouterWork.then(() -> PlanText.write(context.replies().output(), answer(plans))));
    return Progress.NEXT;
  }

  private List<String> answer(List<List<String>> plans) {
    List<String> all = new ArrayList<>(lines);
    for (int i = 0; i < parts.size(); i++) {
      all.add("  " + parts.get(i).title());
      plans.get(i).forEach(line -> all.add("    " + line));
    }
    return all;
  }
}
