package org.abelian.router.session;

import java.io.IOException;
import java.util.Arrays;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.PlanText;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.Route;

/**
 * Parse, Bind, Describe, Execute and Close. A Parse only has its text analysed; the node is known
 * with the Bind, and gets Parse, with the session's own name for the statement, when it has not
 * prepared it yet.
 */
final class ExtendedQuery {
  private static final byte[] UNNAMED = {};

  private final Session session;
  private final BindMessage bind = new BindMessage();
  private final BoundParameters values = new BoundParameters(bind);
  private final Spread spread;
  private final UtilityExecution utility;
  private final RandomKeys keys;

  /**
   * A statement whose description was asked for right before its Bind, which will tell the node.
   */
  private SharedStatement describeWithBind;

  ExtendedQuery(Session session) {
    this.session = session;
    spread = new Spread(session);
    utility = new UtilityExecution(session);
    keys = new RandomKeys(session);
  }

  Spread spread() {
    return spread;
  }

  UtilityExecution utility() {
    return utility;
  }

  RandomKeys keys() {
    return keys;
  }

  /** True for statements that are allowed in a failed transaction. */
  static boolean endsTransaction(SharedStatement statement) {
    TransactionCommand command = statement.command();
    return command != null
        && (command.kind() == TransactionCommand.Kind.COMMIT
            || command.kind() == TransactionCommand.Kind.ROLLBACK
            || command.kind() == TransactionCommand.Kind.ROLLBACK_TO);
  }

  /** Refuses what a failed transaction does not allow. */
  void requireSound(SharedStatement statement) {
    if (session.transaction().isFailed() && !endsTransaction(statement) && !statement.isBlank()) {
      throw Session.transactionAborted();
    }
  }

  Progress parse(byte[] array, int at, int length) throws IOException {
    int nameEnd = CString.end(array, at + 5, at + length);
    SharedStatement statement =
        session.router().statements().intern(Arrays.copyOfRange(array, nameEnd + 1, at + length));
    requireSound(statement);
    if (statement.command() == null
        && !statement.isBlank()
        && session.runner().routed(statement) == null) {
      return Progress.WAIT;
    }
    session.retry().parsed();
    session.statements().define(array, at + 5, nameEnd, statement);
    if (nameEnd == at + 5) {
      statement.parsed();
    } else {
      session.retry().defined(CString.read(array, at + 5, nameEnd));
    }
    session.replies().add(FixedMessage.PARSE_COMPLETE);
    return Progress.NEXT;
  }

  Progress bind(byte[] array, int at, int length) throws IOException {
    bind.look(array, at);
    SharedStatement statement =
        session.statements().get(array, bind.statementAt(), bind.statementEnd());
    if (statement == null) {
      throw noStatement(array, bind.statementAt(), bind.statementEnd());
    }
    requireSound(statement);
    if (statement.command() != null || statement.isBlank()) {
      return bindHere(statement, null);
    }
    RoutedStatement routed = session.runner().routed(statement);
    if (routed == null) {
      return Progress.WAIT;
    }
    if (UtilityExecution.isForSession(routed.utility())) {
      return bindHere(statement, routed);
    }
    int next = at + length;
    boolean named = bind.statementEnd() > bind.statementAt() || statement.isFrequent();
    if (!routed.hasRandomKeys()) {
      return bind(statement, routed, named, array, next);
    }
    boolean alone = isRunNext(array, next);
    RoutedStatement whole = session.runner().routed(statement, keys.maySpread(alone));
    if (whole == null) {
      return Progress.WAIT;
    }
    MadeForm made = keys.instead(whole, values, alone);
    if (made == null) {
      return bind(statement, routed, named, array, next);
    }
    bind.look(made.bind(bind, session.router().keys()), 0);
    return bind(made.statement(), made.routed(), named, array, next);
  }

  /**
   * Binds what nodes are to run.
   *
   * @param next where the message after this one stands
   */
  private Progress bind(
      SharedStatement statement, RoutedStatement routed, boolean named, byte[] array, int next)
      throws IOException {
    Route route = session.runner().route(statement.sql(), routed, values);
    Backend backend = session.runner().single(routed, route);
    if (backend == null) {
      return bindSpread(statement, routed, route);
    }
    if (describeWithBind == null && session.updateBatching().applies(routed, backend)) {
      Progress outcome = bindCombined(statement, routed, backend, array, next);
      if (outcome != null) {
        return outcome;
      }
    }
    session.control().enter(backend, routed);
    byte[] name = prepare(backend.connection, statement.statement(), named);
    if (describeWithBind != null) {
      boolean same = describeWithBind == statement; // else it has parameters of the router's own
      describeStatement(
          backend.connection,
          same ? name : prepare(backend.connection, describeWithBind.statement(), true));
      describeWithBind = null;
    }
    writeBind(backend.connection, name);
    session.replies().add(NodeReply.pass(backend.connection));
    BlindOperation operation =
        routed.isBlind() ? BlindOperation.of(backend.nodeId, routed, bind) : null;
    putPortal(new Portal.OnNode(statement, routed, backend, operation));
    return Progress.NEXT;
  }

  /** Runs it with others' if there are any; null when it is to go alone. */
  private Progress bindCombined(
      SharedStatement statement, RoutedStatement routed, Backend backend, byte[] array, int next)
      throws IOException {
    if (!isRunNext(array, next)) {
      return null;
    }
    UpdateBatching.Turn turn = session.updateBatching().run(routed, backend, values);
    switch (turn.kind()) {
      case ALONE:
        return null;
      case WAIT:
        return Progress.WAIT;
      default:
        session.replies().add(FixedMessage.BIND_COMPLETE);
        putPortal(new Portal.Combined(statement, turn.rows()));
        return Progress.NEXT;
    }
  }

  /**
   * True when the rest of the group does nothing but run the portal that is being bound: Describe,
   * if the client wants it, Execute, Sync.
   */
  private boolean isRunNext(byte[] array, int next) {
    int at = next;
    if (isForPortal(FrontendType.DESCRIBE, array, at)) {
      at += session.input().frameAt(at);
    }
    if (!isForPortal(FrontendType.EXECUTE, array, at)) {
      return false;
    }
    at += session.input().frameAt(at);
    return session.input().frameAt(at) > 0 && array[at] == FrontendType.SYNC;
  }

  /** As above, for the statement that is being bound. */
  boolean runsNext(BindMessage bound) {
    return bound == bind && isRunNext(bind.array(), bind.end());
  }

  private boolean isForPortal(byte type, byte[] array, int at) {
    int length = session.input().frameAt(at);
    if (length == 0 || array[at] != type) {
      return false;
    }
    int nameAt = at + 5;
    if (type == FrontendType.DESCRIBE) {
      if (array[nameAt] != 'P') {
        return false;
      }
      nameAt++;
    }
    int nameEnd = CString.end(array, nameAt, at + length);
    int bound = bind.portalAt();
    return Arrays.equals(array, nameAt, nameEnd, bind.array(), bound, bound + bind.portalLength());
  }

  private Progress bindHere(SharedStatement statement, RoutedStatement routed) {
    describeWithBind = null;
    session.replies().add(FixedMessage.BIND_COMPLETE);
    putPortal(new Portal.OfRouter(statement, routed));
    return Progress.NEXT;
  }

  private Progress bindSpread(SharedStatement statement, RoutedStatement routed, Route route)
      throws IOException {
    if (describeWithBind != null) {
      if (!session.replies().isEmpty()) {
        return Progress.WAIT;
      }
      SharedStatement described = describeWithBind;
      describeWithBind = null;
      describeSomewhere(described, routed);
    }
    Portal portal = spread.bind(statement, routed, route, bind, true);
    if (portal == null) {
      return Progress.WAIT;
    }
    putPortal(portal);
    return Progress.NEXT;
  }

  private void putPortal(Portal portal) {
    int from = bind.portalAt();
    session.portals().put(bind.array(), from, from + bind.portalLength(), portal);
  }

  /** Makes sure that the node has the statement prepared, and gives its name there. */
  byte[] prepare(NodeConnection connection, NodeStatement statement, boolean named) {
    byte[] name = connection.prepared().name(statement);
    if (name != null) {
      return name;
    }
    if (!named) {
      if (connection.parseUnnamed(statement)) {
        session.replies().add(NodeReply.swallow(connection));
      }
      return UNNAMED;
    }
    connection.parse(statement);
    session.replies().add(NodeReply.swallow(connection));
    if (connection.closeSurplus()) {
      session.replies().add(NodeReply.swallow(connection));
    }
    return connection.prepared().name(statement);
  }

  private void writeBind(NodeConnection connection, byte[] name) {
    bind.write(connection.writer(), name);
  }

  Progress describe(byte[] array, int at, int length) throws IOException {
    int nameEnd = CString.end(array, at + 6, at + length);
    if (array[at + 5] == 'S') {
      SharedStatement statement = session.statements().get(array, at + 6, nameEnd);
      if (statement == null) {
        throw noStatement(array, at + 6, nameEnd);
      }
      return describeStatement(statement, array, at + length);
    }
    Portal portal = session.portals().get(array, at + 6, nameEnd);
    if (portal == null) {
      throw noPortal(array, at + 6, nameEnd);
    }
    requireSound(portal.statement());
    if (portal instanceof Portal.OnNode onNode) {
      session.backends().touch(onNode.backend());
      NodeConnection connection = onNode.backend().connection;
      connection.writer().bytes(array, at, length);
      session
          .replies()
          .add(
              onNode.origins() == null
                  ? NodeReply.pass(connection)
                  : onNode.origins().restore(connection));
    } else if (portal instanceof Portal.OnNodes onNodes) {
      spread.describe(onNodes, array, at, length);
    } else {
      session.replies().add(FixedMessage.NO_DATA);
    }
    return Progress.NEXT;
  }

  private Progress describeStatement(SharedStatement statement, byte[] array, int next)
      throws IOException {
    requireSound(statement);
    if (statement.command() != null || statement.isBlank()) {
      session.replies().add(FixedMessage.NO_PARAMETERS);
      session.replies().add(FixedMessage.NO_DATA);
      return Progress.NEXT;
    }
    RoutedStatement routed = session.runner().routed(statement);
    if (routed == null) {
      return Progress.WAIT;
    }
    if (UtilityExecution.isForSession(routed.utility()) || routed.facts().rewritten() != null) {
      session.replies().add(FixedMessage.NO_PARAMETERS);
      session.replies().add(FixedMessage.NO_DATA);
    } else if (isBoundNext(statement, array, next)) {
      describeWithBind = statement;
    } else {
      describeSomewhere(statement, routed);
    }
    return Progress.NEXT;
  }

  private boolean isBoundNext(SharedStatement statement, byte[] array, int next) {
    int length = session.input().frameAt(next);
    if (length == 0 || array[next] != FrontendType.BIND) {
      return false;
    }
    int portalEnd = CString.end(array, next + 5, next + length);
    int nameEnd = CString.end(array, portalEnd + 1, next + length);
    return session.statements().get(array, portalEnd + 1, nameEnd) == statement;
  }

  /** Any node can describe it; none need join the transaction for that. */
  private void describeSomewhere(SharedStatement statement, RoutedStatement routed)
      throws IOException {
    if (statement.explain() != null && statement.explain().call()) {
      session.replies().add(PlanText.parameters(routed.facts().parameters()));
      session.replies().add(PlanText.description());
      return;
    }
    Backend backend = session.runner().home();
    session.backends().connect(backend);
    session.backends().touch(backend);
    describeStatement(backend.connection, prepare(backend.connection, statement.statement(), true));
  }

  private void describeStatement(NodeConnection connection, byte[] name) {
    connection.writer().begin(FrontendType.DESCRIBE).int1('S').string(name).end();
    session.replies().add(NodeReply.pass(connection));
  }

  Progress execute(byte[] array, int at, int length) throws IOException {
    int nameEnd = CString.end(array, at + 5, at + length);
    Portal portal = session.portals().get(array, at + 5, nameEnd);
    if (portal == null) {
      throw noPortal(array, at + 5, nameEnd);
    }
    requireSound(portal.statement());
    if (portal instanceof Portal.OnNode onNode) {
      Backend backend = onNode.backend();
      if (!backend.isUsable()) {
        throw noPortal(array, at + 5, nameEnd);
      }
      backend.wrote |= onNode.routed().writes();
      session.backends().touch(backend);
      session.runner().noteSingle(onNode.routed(), backend);
      backend.connection.writer().bytes(array, at, length);
      session.replies().add(answer(onNode, BigEndian.int4(array, nameEnd + 1)));
      return Progress.NEXT;
    }
    if (portal instanceof Portal.OnNodes onNodes) {
      byte[] name = Arrays.copyOfRange(array, at + 5, nameEnd);
      return spread.execute(onNodes, name, BigEndian.int4(array, nameEnd + 1));
    }
    if (portal instanceof Portal.Combined combined) {
      session.replies().add(UpdateBatching.tag(combined.rows()));
      return Progress.NEXT;
    }
    return runHere((Portal.OfRouter) portal);
  }

  private NodeReply answer(Portal.OnNode portal, int limit) {
    NodeConnection connection = portal.backend().connection;
    if (portal.operation() == null) {
      return NodeReply.pass(connection);
    }
    // The node runs it once, and gives its rows in as many portions as it is asked for.
    boolean inPortions = limit != 0 || portal.operation().isRepeated();
    if (inPortions && portal.routed().facts().returnsRows()) {
      session.transaction().work().refuse("its RETURNING is read in portions");
    }
    BlindOperation operation = portal.operation().again();
    session.transaction().work().operates(operation);
    return NodeReply.pass(connection, operation.sum());
  }

  private Progress runHere(Portal.OfRouter portal) throws IOException {
    SharedStatement statement = portal.statement();
    if (statement.isBlank()) {
      session.replies().add(FixedMessage.EMPTY_QUERY);
      return Progress.NEXT;
    }
    return statement.command() != null
        ? session.control().run(statement)
        : utility.run(statement, portal.routed());
  }

  Progress close(byte[] array, int at, int length) {
    int nameEnd = CString.end(array, at + 6, at + length);
    if (array[at + 5] == 'S') {
      // It stays prepared on the nodes, where other sessions may use it.
      session.statements().remove(array, at + 6, nameEnd);
      session.replies().add(FixedMessage.CLOSE_COMPLETE);
      return Progress.NEXT;
    }
    Portal portal = session.portals().remove(array, at + 6, nameEnd);
    if (portal instanceof Portal.OnNode onNode && onNode.backend().isUsable()) {
      closePortal(onNode.backend(), array, at, length);
    } else if (portal instanceof Portal.OnNodes onNodes) {
      onNodes.backends.stream()
          .filter(Backend::isUsable)
          .forEach(backend -> closePortal(backend, array, at, length));
    }
    session.replies().add(FixedMessage.CLOSE_COMPLETE);
    return Progress.NEXT;
  }

  private void closePortal(Backend backend, byte[] array, int at, int length) {
    session.backends().touch(backend);
    backend.connection.writer().bytes(array, at, length);
    session.replies().add(NodeReply.swallow(backend.connection));
  }

  private static ClientError noStatement(byte[] array, int from, int to) {
    return ClientError.of(
        "26000",
        from == to
            ? "unnamed prepared statement does not exist"
            : "prepared statement \"" + CString.read(array, from, to) + "\" does not exist");
  }

  private static ClientError noPortal(byte[] array, int from, int to) {
    return ClientError.of("34000", "portal \"" + CString.read(array, from, to) + "\" does not exist");
  }
}
