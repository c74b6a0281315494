package org.abelian.router.session;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.FlowWindow;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.PlanText;
import org.abelian.router.execution.Step;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;

/**
 * Query and FunctionCall. A single statement for one node goes there as it is; what is more than
 * that is run statement by statement with the extended protocol, whose group of messages is one
 * transaction just as a query of several statements is, and answered in the form of the simple one.
 */
final class SimpleQuery {
  private static final byte[] UNNAMED = {};
  private static final byte[] EMPTY_BIND = emptyBind();
  private static final byte[] DESCRIBE_PORTAL = {'D', 0, 0, 0, 6, 'P', 0};

  private final Session session;
  private final BindMessage bind = new BindMessage();
  private List<String> statements;
  private int next;
  private Portal.OnNodes spreading;

  SimpleQuery(Session session) {
    this.session = session;
  }

  private static byte[] emptyBind() {
    ByteQueue queue = new ByteQueue(16);
    FrameWriter writer = new FrameWriter(queue);
    writer.begin(FrontendType.BIND).int1(0).int1(0).int2(0).int2(0).int2(0).end();
    return queue.toByteArray();
  }

  /** True while a query waits for answers to its earlier statements. */
  boolean isRunning() {
    return statements != null;
  }

  /** True when the query that is being run has one statement. */
  boolean isOneStatement() {
    return statements != null && statements.size() == 1;
  }

  Outcome query(byte[] array, int at, int length) throws IOException {
    if (statements == null) {
      String text = new String(array, at + 5, length - 6, StandardCharsets.UTF_8);
      session.retry().parsed();
      session.statements().remove(array, at, at);
      statements = StatementSplitter.split(text, standardStrings());
      next = 0;
      spreading = null;
      if (statements.isEmpty()) {
        session.plan().add(FixedMessage.EMPTY_QUERY);
      }
    }
    while (next < statements.size() && !session.plan().failed()) {
      Outcome outcome = run(statements.get(next), array, at, length);
      if (outcome == Outcome.WAIT) {
        return outcome;
      }
      if (outcome == Outcome.TURN) {
        statements = null;
        return outcome;
      }
      next++;
      if (next < statements.size() && mustSettle(statements.get(next))) {
        return Outcome.WAIT;
      }
    }
    return finish();
  }

  private boolean mustSettle(String sql) {
    return session.groups().mustSettle()
        || FlowWindow.isFull(session.plan(), session.links().unsent())
        || FlowWindow.comesFirst(session.plan(), sql.length());
  }

  /** Nothing more of the query is run: it ends as a group of messages does. */
  Outcome finish() {
    statements = null;
    spreading = null;
    return session.groups().sync();
  }

  private boolean standardStrings() {
    String name = "standard_conforming_strings";
    Link begun = session.links().firstBegun();
    String made = begun == null ? session.transaction().changesOf(List.of(name)) : "";
    return !session.says(name, "off") && !made.toLowerCase(Locale.ROOT).contains("off");
  }

  private Outcome run(String sql, byte[] array, int at, int length) throws IOException {
    if (spreading != null) {
      return runSpread(spreading);
    }
    SharedStatement statement = session.router().statements().intern(NodeStatement.of(sql).body());
    session.extended().requireSound(statement);
    if (statement.command() != null) {
      return session.control().run(statement);
    }
    boolean alone = statements.size() == 1;
    RoutedStatement routed =
        session.runner().routed(statement, session.extended().keys().maySpread(alone));
    if (routed == null) {
      return Outcome.WAIT;
    }
    if (UtilityExecution.isForSession(routed.utility())) {
      return session.extended().utility().run(statement, routed);
    }
    if (routed.utility() == UtilityKind.COPY_FROM && next + 1 < statements.size()) {
      throw AbelianException.unsupported(
          "COPY FROM followed by other statements in one query is not supported through the router",
          "Send it by itself, or at the end.");
    }
    bind.look(EMPTY_BIND, 0);
    MadeForm made = session.extended().keys().instead(routed, BoundValues.NONE, alone);
    if (made == null) {
      return run(statement, routed, array, at, length);
    }
    bind.look(made.bind(bind, session.router().keys()), 0);
    return run(made.statement(), made.routed(), array, at, length);
  }

  private Outcome run(
      SharedStatement statement, RoutedStatement routed, byte[] array, int at, int length)
      throws IOException {
    Route route = session.runner().route(statement.sql(), routed, new BoundParameters(bind));
    Link link = session.runner().single(routed, route);
    if (link != null && statements.size() == 1 && session.updateBatching().applies(routed, link)) {
      UpdateBatching.Turn turn = session.updateBatching().run(routed, link, BoundValues.NONE);
      if (turn.kind() == UpdateBatching.Turn.Kind.WAIT) {
        return Outcome.WAIT;
      }
      if (turn.kind() == UpdateBatching.Turn.Kind.DONE) {
        session.plan().add(UpdateBatching.tag(turn.rows()));
        return Outcome.NEXT;
      }
    }
    if (link != null) {
      return runOn(link, statement, routed, array, at, length);
    }
    Portal portal = session.extended().spread().bind(statement, routed, route, bind, false);
    if (portal == null) {
      return Outcome.WAIT;
    }
    if (portal instanceof Portal.OnNode single) {
      NodeConnection connection = single.link().connection;
      runPortal(
          connection,
          single.origins() == null
              ? NodeReply.describeRows(connection)
              : single.origins().restore(connection),
          null);
      return Outcome.NEXT;
    }
    Portal.OnNodes onNodes = (Portal.OnNodes) portal;
    if (onNodes.explanation != null) {
      session.plan().add(PlanText.description());
    } else if (onNodes.strategy instanceof IndependentCall && onNodes.intent != null) {
      onNodes.describes = routed.facts().returnsRows();
    } else if (routed.facts().returnsRows() && routed.facts().rewritten() == null) {
      Link first = onNodes.links.get(0);
      first.connection.writer().bytes(DESCRIBE_PORTAL);
      session.plan().add(NodeReply.describeRows(first.connection));
    }
    return runSpread(onNodes);
  }

  private Outcome runSpread(Portal.OnNodes portal) throws IOException {
    Outcome outcome = session.extended().spread().execute(portal, UNNAMED, 0);
    spreading = outcome == Outcome.WAIT ? portal : null;
    return outcome;
  }

  private Outcome runOn(
      Link link,
      SharedStatement statement,
      RoutedStatement routed,
      byte[] array,
      int at,
      int length) {
    boolean alone =
        statements.size() == 1
            && bind.parameterCount() == 0
            && (!session.transaction().isOpen() || link.begun);
    session.control().enter(link, routed);
    session.runner().noteSingle(routed, link);
    NodeConnection connection = link.connection;
    BlindOperation operation = null;
    if (routed.isBlind()) {
      operation = BlindOperation.of(link.nodeId, routed, bind);
      session.transaction().work().operates(operation);
    }
    if (alone) {
      return pass(link, operation, array, at, length);
    }
    byte[] name = session.extended().prepare(connection, statement.statement(), false);
    FrameWriter writer = connection.writer();
    writer.begin(FrontendType.BIND).int1(0).string(name);
    writer.bytes(bind.array(), bind.tailAt(), bind.tailLength()).end();
    session.plan().add(NodeReply.swallow(connection));
    runPortal(connection, NodeReply.describeRows(connection), operation);
    if (routed.maySet()) {
      session.watch().ask(link);
    }
    return Outcome.NEXT;
  }

  private void runPortal(NodeConnection connection, Step description, BlindOperation operation) {
    connection.writer().bytes(DESCRIBE_PORTAL);
    session.plan().add(description);
    session.plan().expectRows();
    connection.writer().begin(FrontendType.EXECUTE).int1(0).int4(0).end();
    session
        .plan()
        .add(
            operation == null
                ? NodeReply.pass(connection)
                : NodeReply.pass(connection, operation.sum()));
  }

  /** The message goes to the node as it is, and its ReadyForQuery ends the group. */
  private Outcome pass(Link link, BlindOperation operation, byte[] array, int at, int length) {
    link.connection.prepared().dropUnnamed();
    link.connection.writer().bytes(array, at, length);
    session
        .plan()
        .add(
            operation == null
                ? NodeReply.query(link.connection)
                : NodeReply.query(link.connection, operation.sum()));
    session.links().untouch(link);
    return session.groups().endGroupAfterPlan();
  }

  Outcome functionCall(byte[] array, int at, int length) {
    if (session.transaction().isFailed()) {
      throw Session.transactionAborted();
    }
    // What a function works on, a large object for instance, lies on the first node.
    Link link = session.links().link(session.router().catalog().current().first());
    session.transaction().work().refuse("it calls a function by the fast path");
    session.control().enter(link, true);
    return pass(link, null, array, at, length);
  }
}
