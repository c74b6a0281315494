package org.abelian.router.explain;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.Execution;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.PlanFormat;
import org.abelian.router.execution.PlanText;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.session.TransactionWork;
import org.abelian.router.statement.BoundParameters;
import org.abelian.router.statement.ExplainCommand;
import org.abelian.router.statement.RoutedStatement;

/**
 * Answers an EXPLAIN: what the router says itself, and the plans of nodes after them. With ANALYZE
 * the nodes run the statement in the session's transaction.
 */
public final class ExplainExecution extends Execution {
  private static final byte[] SECOND_PORTAL = "abelian_plan".getBytes(StandardCharsets.US_ASCII);

  private final EngineContext context;
  private final RoutedStatement routed;
  private final byte[] name;
  private final int[] resultFormats;
  private final PlanFormat format;
  private final List<String> lines;
  private final Map<String, Object> properties;
  private final List<ExplainText.Part> parts;

  private ExplainExecution(
      EngineContext context, BoundStatement bound, ExplainText text, List<ExplainText.Part> parts) {
    this.context = context;
    this.routed = bound.routed();
    this.name = bound.portal();
    this.resultFormats = bound.bind().resultFormats();
    this.format = routed.explains().format();
    this.lines = format == PlanFormat.TEXT ? text.lines() : null;
    this.properties = format == PlanFormat.TEXT ? null : text.properties();
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
      bindOn(context, part, portal(part, bound.portal()), bound.bind());
    }
    bound.answerBind(context.replies());
    return new ExplainExecution(context, bound, text, parts);
  }

  private static void check(ExplainCommand command, Route route) {
    boolean runs =
        !command.call()
            && (route instanceof Route.OneNode
                || route instanceof Route.AnyNode
                || route instanceof Route.Scatter
                || route instanceof Route.ScatterWrite
                || route instanceof Route.Split);
    if (command.analyze() && !runs) {
      throw AbelianException.unsupported(
          "EXPLAIN ANALYZE does not run calls of distributed procedures, nor INSERT ... SELECT or"
              + " UPDATE whose rows change their nodes, nor changes by rows of other nodes, nor"
              + " statements that all nodes run alike",
          "Leave ANALYZE out, or run the statement itself.");
    }
  }

  /** The rows are text whatever the client asks for, since it gets the same bytes in both. */
  private static void bindOn(
      EngineContext context, ExplainText.Part part, byte[] portal, BindMessage bind) {
    Backend backend = part.backend();
    byte[] prepared =
        context.backends().prepare(backend, part.statement(), true, context.replies());
    FrameWriter writer = backend.connection.writer();
    if (portal == SECOND_PORTAL) {
      writer.begin(FrontendType.CLOSE).int1('P').string(portal).end();
      context.replies().add(NodeReply.swallow(backend.connection));
    }
    writer.begin(FrontendType.BIND).string(portal).string(prepared);
    bind.writeValues(writer, part.values());
    writer.int2(0).end();
    context.replies().add(NodeReply.swallow(backend.connection));
  }

  /** A node may have both a part that selects and one that inserts. */
  private static byte[] portal(ExplainText.Part part, byte[] client) {
    return part.values().isEmpty() ? client : SECOND_PORTAL;
  }

  @Override
  public void describe(Description wanted) {
    context
        .replies()
        .add(
            wanted == Description.FULL
                ? PlanText.description(format, resultFormats)
                : PlanText.description(format));
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
      byte[] portal = portal(part, name);
      backend.connection.writer().begin(FrontendType.EXECUTE).string(portal).int4(0).end();
      List<String> plan = new ArrayList<>();
      plans.add(plan);
      context
          .replies()
          .add(
              new CollectReply(
                  backend.connection, row -> plan.add(new String(row[0], StandardCharsets.UTF_8))));
    }
    context
        .replies()
        .add(RouterWork.then(() -> PlanText.write(context.replies().output(), answer(plans))));
    return Progress.NEXT;
  }

  private List<String> answer(List<List<String>> plans) {
    if (format != PlanFormat.TEXT) {
      return List.of(document(plans));
    }
    List<String> all = new ArrayList<>(lines);
    for (int i = 0; i < parts.size(); i++) {
      all.add("  " + parts.get(i).title());
      plans.get(i).forEach(line -> all.add("    " + line));
    }
    return all;
  }

  private String document(List<List<String>> plans) {
    List<Object> tasks = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      Map<String, Object> task = new LinkedHashMap<>();
      task.put("Node", parts.get(i).node());
      task.put("Task", parts.get(i).what());
      task.put("Remote Plan", new PlanDocument.Plan(String.join("\n", plans.get(i))));
      tasks.add(task);
    }
    properties.put("Tasks Shown", tasks.size());
    properties.put("Tasks", tasks);
    return PlanDocument.of(format, Map.of("Plan", properties));
  }
}
