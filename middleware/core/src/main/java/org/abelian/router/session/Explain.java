package org.abelian.router.session;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.PlanText;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;

/**
 * EXPLAIN of what the router does more than pass on: its own part, then PostgreSQL's plan from one
 * node, or with ANALYZE, which runs the statement in the session's transaction, from each.
 */
final class Explain {
  /** The setting that asks for the router's part also where a statement stays on one node. */
  static final String SETTING = "abelian.explain_router";

  private final Session session;

  Explain(Session session) {
    this.session = session;
  }

  /** What a portal of EXPLAIN answers: the lines of the router, and what nodes give after them. */
  static final class Answer {
    final List<String> lines;
    final List<ExplainText.Part> parts;
    final List<List<String>> plans = new ArrayList<>();

    Answer(List<String> lines, List<ExplainText.Part> parts) {
      this.lines = lines;
      this.parts = parts;
    }
  }

  /** True when the router answers; false when the statement is none of these, or a node does. */
  boolean tells(RoutedStatement routed, Route route) {
    ExplainCommand command = routed.explains();
    if (command == null) {
      return false;
    }
    boolean one = route instanceof Route.OneNode || route instanceof Route.AnyNode;
    return command.call()
        || !one
        || command.text() && ClassChoice.says(session.settings(), SETTING, "(?:on|true|1)");
  }

  /** As {@backend Spread#bind}. */
  Portal bind(
      SharedStatement statement,
      RoutedStatement routed,
      Route route,
      BindMessage bind,
      boolean answer) {
    ExplainCommand command = routed.explains();
    check(command, route);
    BoundValues values = new BoundParameters(bind);
    if (values.count() < routed.facts().parameters().size()) {
      throw ClientError.of("42P02", "there is no parameter $" + (values.count() + 1));
    }
    ExplainText text = new ExplainText(session, routed, route, values, bind);
    Answer told = new Answer(text.lines(), text.parts());
    boolean writesOnSeveral = routed.writes() && told.parts.size() > 1;
    if (writesOnSeveral) {
      session.control().openImplicit();
    }
    List<Backend> backends = new ArrayList<>();
    for (ExplainText.Part part : told.parts) {
      Backend backend = part.backend();
      session.control().enter(backend, routed);
      if (writesOnSeveral) {
        session.transaction().work().refuse(ExplainText.SEVERAL);
      }
      bindOn(backend, NodeStatement.of(command.ofText(part.sql()), routed.facts().parameters()), bind);
      backends.add(backend);
    }
    if (answer) {
      session.replies().add(FixedMessage.BIND_COMPLETE);
    }
    Portal.OnNodes portal = new Portal.OnNodes(statement, routed, route, backends);
    portal.explanation = told;
    portal.resultFormats = bind.resultFormats();
    return portal;
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
  private void bindOn(Backend backend, NodeStatement statement, BindMessage bind) {
    NodeConnection connection = backend.connection;
    byte[] name = session.extended().prepare(connection, statement, true);
    bind.begin(connection.writer(), name)
        .bytes(bind.array(), bind.tailAt(), bind.resultFormatsAt() - bind.tailAt())
        .int2(0)
        .end();
    session.replies().add(NodeReply.swallow(connection));
  }

  /** As {@backend Spread#execute}; a row limit is of no use for so few rows. */
  Progress execute(Portal.OnNodes portal, byte[] name) {
    Answer told = portal.explanation;
    session.notRetryableAfterWrites(portal.routed.writes());
    told.plans.clear();
    for (Backend backend : portal.backends) {
      session.backends().touch(backend);
      backend.wrote |= portal.routed.writes();
      backend.connection.writer().begin(FrontendType.EXECUTE).string(name).int4(0).end();
      List<String> plan = new ArrayList<>();
      told.plans.add(plan);
      session
          .replies()
          .add(
              new CollectReply(
                  backend.connection, row -> plan.add(new String(row[0], StandardCharsets.UTF_8))));
    }
    session.replies().add(RouterWork.then(() -> PlanText.write(session.output(), told(told))));
    return Progress.NEXT;
  }

  private static List<String> told(Answer told) {
    List<String> lines = new ArrayList<>(told.lines);
    for (int i = 0; i < told.parts.size(); i++) {
      lines.add("  " + told.parts.get(i).title());
      told.plans.get(i).forEach(line -> lines.add("    " + line));
    }
    return lines;
  }
}
