package org.abelian.router.session;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.PlanText;
import org.abelian.router.execution.Reply;
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

  Progress query(byte[] array, int at, int length) throws IOException {
    if (statements == null) {
      String text = new String(array, at + 5, length - 6, StandardCharsets.UTF_8);
      session.retry().parsed();
      session.statements().remove(array, at, at);
      statements = StatementSplitter.split(text, standardStrings());
      next = 0;
      spreading = null;
      if (statements.isEmpty()) {
        session.replies().add(FixedMessage.EMPTY_QUERY);
      }
    }
    while (next < statements.size() && !session.replies().failed()) {
      Progress outcome = run(statements.get(next), array, at, length);
      if (outcome == Progress.WAIT) {
        return outcome;
      }
      if (outcome == Progress.TURN) {
        statements = null;
        return outcome;
      }
      next++;
    }
    return finish();
  }

  /** Nothing more of the query is run: it ends as a group of messages does. */
  Progress finish() {
    statements = null;
    spreading = null;
    return session.groups().sync();
  }

  private boolean standardStrings() {
    String setting = session.settings().statement("standard_conforming_strings");
    return setting == null || !setting.toLowerCase(Locale.ROOT).contains("off");
  }

  private Progress run(String sql, byte[] array, int at, int length) throws IOException {
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
      return Progress.WAIT;
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

  private Progress run(
      SharedStatement statement, RoutedStatement routed, byte[] array, int at, int length)
      throws IOException {
    Route route = session.runner().route(statement.sql(), routed, new BoundParameters(bind));
    Backend backend = session.runner().single(routed, route);
    if (backend != null && statements.size() == 1 && session.updateBatching().applies(routed, backend)) {
      UpdateBatching.Turn turn = session.updateBatching().run(routed, backend, BoundValues.NONE);
      if (turn.kind() == UpdateBatching.Turn.Kind.WAIT) {
        return Progress.WAIT;
      }
      if (turn.kind() == UpdateBatching.Turn.Kind.DONE) {
        session.replies().add(UpdateBatching.tag(turn.rows()));
        return Progress.NEXT;
      }
    }
    if (backend != null) {
      return runOn(backend, statement, routed, array, at, length);
    }
    Portal portal = session.extended().spread().bind(statement, routed, route, bind, false);
    if (portal == null) {
      return Progress.WAIT;
    }
    if (portal instanceof Portal.OnNode single) {
      NodeConnection connection = single.backend().connection;
      runPortal(
          connection,
          single.origins() == null
              ? NodeReply.describeRows(connection)
              : single.origins().restore(connection),
          null);
      return Progress.NEXT;
    }
    Portal.OnNodes onNodes = (Portal.OnNodes) portal;
    if (onNodes.explanation != null) {
      session.replies().add(PlanText.description());
    } else if (onNodes.strategy instanceof IndependentCall && onNodes.intent != null) {
      onNodes.describes = routed.facts().returnsRows();
    } else if (routed.facts().returnsRows() && routed.facts().rewritten() == null) {
      Backend first = onNodes.backends.get(0);
      first.connection.writer().bytes(DESCRIBE_PORTAL);
      session.replies().add(NodeReply.describeRows(first.connection));
    }
    return runSpread(onNodes);
  }

  private Progress runSpread(Portal.OnNodes portal) throws IOException {
    Progress outcome = session.extended().spread().execute(portal, UNNAMED, 0);
    spreading = outcome == Progress.WAIT ? portal : null;
    return outcome;
  }

  private Progress runOn(
      Backend backend,
      SharedStatement statement,
      RoutedStatement routed,
      byte[] array,
      int at,
      int length) {
    boolean alone =
        statements.size() == 1
            && bind.parameterCount() == 0
            && (!session.transaction().isOpen() || backend.begun);
    session.control().enter(backend, routed);
    session.runner().noteSingle(routed, backend);
    NodeConnection connection = backend.connection;
    BlindOperation operation = null;
    if (routed.isBlind()) {
      operation = BlindOperation.of(backend.nodeId, routed, bind);
      session.transaction().work().operates(operation);
    }
    if (alone) {
      return pass(backend, operation, array, at, length);
    }
    byte[] name = session.extended().prepare(connection, statement.statement(), false);
    FrameWriter writer = connection.writer();
    writer.begin(FrontendType.BIND).int1(0).string(name);
    writer.bytes(bind.array(), bind.tailAt(), bind.tailLength()).end();
    session.replies().add(NodeReply.swallow(connection));
    runPortal(connection, NodeReply.describeRows(connection), operation);
    return Progress.NEXT;
  }

  private void runPortal(NodeConnection connection, Reply description, BlindOperation operation) {
    connection.writer().bytes(DESCRIBE_PORTAL);
    session.replies().add(description);
    connection.writer().begin(FrontendType.EXECUTE).int1(0).int4(0).end();
    session
        .replies()
        .add(
            operation == null
                ? NodeReply.pass(connection)
                : NodeReply.pass(connection, operation.sum()));
  }

  /** The message goes to the node as it is, and its ReadyForQuery ends the group. */
  private Progress pass(Backend backend, BlindOperation operation, byte[] array, int at, int length) {
    backend.connection.prepared().dropUnnamed();
    backend.connection.writer().bytes(array, at, length);
    session
        .replies()
        .add(
            operation == null
                ? NodeReply.query(backend.connection)
                : NodeReply.query(backend.connection, operation.sum()));
    session.backends().untouch(backend);
    return session.groups().endGroupAfterPlan();
  }

  Progress functionCall(byte[] array, int at, int length) {
    if (session.transaction().isFailed()) {
      throw Session.transactionAborted();
    }
    Backend backend = session.runner().home();
    session.transaction().work().refuse("it calls a function by the fast path");
    session.control().enter(backend, true);
    return pass(backend, null, array, at, length);
  }
}
