package org.abelian.router.explain;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.CollectedRows;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.Exchanges;
import org.abelian.router.engine.Execution;
import org.abelian.router.engine.Executor;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.FixedMessage;
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
  private static final byte[] PORTAL = "abelian_plan".getBytes(StandardCharsets.US_ASCII);

  private final Executor executor;
  private final EngineContext context;
  private final BoundStatement bound;
  private final RoutedStatement routed;
  private final int[] resultFormats;
  private final PlanFormat format;
  private final ExplainText text;
  private final List<String> lines;
  private final Map<String, Object> properties;
  private final List<ExplainText.Part> parts;
  private boolean done;

  /**
   * @param bound with a copy of the values that lasts
   */
  private ExplainExecution(
      Executor executor, BoundStatement bound, int[] resultFormats, ExplainText text) {
    this.executor = executor;
    this.context = executor.context();
    this.bound = bound;
    this.routed = bound.routed();
    this.resultFormats = resultFormats;
    this.format = routed.explains().format();
    this.text = text;
    this.lines = format == PlanFormat.TEXT ? text.lines() : null;
    this.properties = format == PlanFormat.TEXT ? null : text.properties();
    this.parts = text.parts();
  }

  /** Nothing is done before it is executed. */
  public static ExplainExecution bind(
      Executor executor, BoundStatement bound, Route route, ExplainText text) {
    EngineContext context = executor.context();
    RoutedStatement routed = bound.routed();
    check(routed.explains(), route);
    BoundValues values = new BoundParameters(bound.bind());
    if (values.count() < routed.facts().parameters().size()) {
      throw ClientError.of("42P02", "there is no parameter $" + (values.count() + 1));
    }
    BindMessage copy = new BindMessage();
    copy.look(bound.bind().asText(), 0); // The client's message will be gone.
    ExplainExecution execution =
        new ExplainExecution(executor, bound.keeping(copy), bound.bind().resultFormats(), text);
    bound.answerBind(context.replies());
    return execution;
  }

  private static void check(ExplainCommand command, Route route) {
    boolean runs =
        !command.call()
            && (route instanceof Route.OneNode
                || route instanceof Route.AnyNode
                || route instanceof Route.Scatter
                || route instanceof Route.ScatterWrite
                || route instanceof Route.Split
                || route instanceof Route.GatheredInsert
                || route instanceof Route.GatheredWrite
                || route instanceof Route.MovedRows
                || route instanceof Route.Steps);
    if (command.analyze() && !runs) {
      throw AbelianException.unsupported(
          "EXPLAIN ANALYZE does not run calls of distributed procedures, nor statements that all"
              + " nodes run alike",
          "Leave ANALYZE out, or run the statement itself.");
    }
  }

  /** The rows are text whatever the client asks for, since it gets the same bytes in both. */
  private void bindOn(ExplainText.Part part) {
    Backend backend = part.backend();
    byte[] prepared =
        context.backends().prepare(backend, part.statement(), true, context.replies());
    FrameWriter writer = backend.connection.writer();
    writer.begin(FrontendType.CLOSE).int1('P').string(PORTAL).end();
    context.replies().add(NodeReply.swallow(backend.connection));
    writer.begin(FrontendType.BIND).string(PORTAL).string(prepared);
    bound.bind().writeValues(writer, part.values());
    writer.int2(0).end();
    context.replies().add(NodeReply.swallow(backend.connection));
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
  public Progress execute(int limit) throws IOException {
    if (done) {
      context.replies().add(FixedMessage.tag("EXPLAIN"));
      return Progress.NEXT;
    }
    if (routed.writes()) {
      context.retry().forbidAfterWrites();
    }
    List<Exchanges.Exchange> exchanges = List.of();
    if (text.runsItself()) {
      if (!context.replies().isEmpty()) {
        return Progress.QUIET;
      }
      exchanges = run();
      if (context.replies().failed()) {
        return Progress.BARRIER;
      }
    }
    done = true;
    plan(exchanges);
    return Progress.NEXT;
  }

  /** Runs the statement as ever; nobody wants its rows. */
  private List<Exchanges.Exchange> run() throws IOException {
    List<Exchanges.Exchange> noted;
    context.exchanges().begin();
    try {
      CollectedRows.collect(
          executor.context(),
          executor::bind,
          text.statement(bound.bind()),
          text.route(),
          row -> {});
    } finally {
      noted = context.exchanges().end();
    }
    return noted;
  }

  /** Has nodes plan, or also run, the parts, and answers. */
  private void plan(List<Exchanges.Exchange> exchanges) {
    boolean writesOnSeveral = routed.writes() && parts.size() > 1 && !text.runsItself();
    if (writesOnSeveral) {
      context.transactions().openImplicit();
    }
    List<List<String>> plans = new ArrayList<>();
    for (ExplainText.Part part : parts) {
      Backend backend = part.backend();
      context.transactions().enter(backend, routed);
      if (writesOnSeveral) {
        context.transactions().state().work().refuse(TransactionWork.SEVERAL_NODES);
      }
      bindOn(part);
      context.backends().touch(backend);
      backend.wrote |= routed.writes();
      backend.connection.writer().begin(FrontendType.EXECUTE).string(PORTAL).int4(0).end();
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
        .add(
            RouterWork.then(
                () -> PlanText.write(context.replies().output(), answer(plans, exchanges))));
  }

  private List<String> answer(List<List<String>> plans, List<Exchanges.Exchange> exchanges) {
    if (format != PlanFormat.TEXT) {
      return List.of(document(plans, exchanges));
    }
    List<String> all = new ArrayList<>(lines);
    exchanges.forEach(exchange -> all.add("  Exchange: " + exchange));
    for (int i = 0; i < parts.size(); i++) {
      all.add("  " + parts.get(i).title());
      plans.get(i).forEach(line -> all.add("    " + line));
    }
    return all;
  }

  private String document(List<List<String>> plans, List<Exchanges.Exchange> exchanges) {
    if (text.runsItself()) {
      properties.put("Exchanges", exchanges.stream().map(ExplainExecution::properties).toList());
      properties.put(
          "Exchanged Bytes", exchanges.stream().mapToLong(Exchanges.Exchange::moved).sum());
    }
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

  private static Map<String, Object> properties(Exchanges.Exchange exchange) {
    Map<String, Object> properties = new LinkedHashMap<>();
    properties.put("Exchange", exchange.what());
    properties.put("Rows", exchange.rows());
    properties.put("Bytes", exchange.bytes());
    properties.put("To Nodes", exchange.nodes());
    return properties;
  }
}
