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

  Outcome parse(byte[] array, int at, int length) throws IOException {
    int nameEnd = CString.end(array, at + 5, at + length);
    SharedStatement statement =
        session.router().statements().intern(Arrays.copyOfRange(array, nameEnd + 1, at + length));
    requireSound(statement);
    if (statement.command() == null
        && !statement.isBlank()
        && session.runner().routed(statement) == null) {
      return Outcome.WAIT;
    }
    session.retry().parsed();
    session.statements().define(array, at + 5, nameEnd, statement);
    if (nameEnd == at + 5) {
      statement.parsed();
    } else {
      session.retry().defined(CString.read(array, at + 5, nameEnd));
    }
    session.plan().add(FixedMessage.PARSE_COMPLETE);
    return Outcome.NEXT;
  }

  Outcome bind(byte[] array, int at, int length) throws IOException {
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
      return Outcome.WAIT;
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
      return Outcome.WAIT;
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
  private Outcome bind(
      SharedStatement statement, RoutedStatement routed, boolean named, byte[] array, int next)
      throws IOException {
    Route route = session.runner().route(statement.sql(), routed, values);
    Link link = session.runner().single(routed, route);
    if (link == null) {
      return bindSpread(statement, routed, route);
    }
    if (describeWithBind == null && session.updateBatching().applies(routed, link)) {
      Outcome outcome = bindCombined(statement, routed, link, array, next);
      if (outcome != null) {
        return outcome;
      }
    }
    session.control().enter(link, routed);
    byte[] name = prepare(link.connection, statement.statement(), named);
    if (describeWithBind != null) {
      boolean same = describeWithBind == statement; // else it has parameters of the router's own
      describeStatement(
          link.connection,
          same ? name : prepare(link.connection, describeWithBind.statement(), true));
      describeWithBind = null;
    }
    writeBind(link.connection, name);
    session.plan().add(NodeReply.pass(link.connection));
    BlindOperation operation =
        routed.isBlind() ? BlindOperation.of(link.nodeId, routed, bind) : null;
    putPortal(new Portal.OnNode(statement, routed, link, operation));
    return Outcome.NEXT;
  }

  /** Runs it with others' if there are any; null when it is to go alone. */
  private Outcome bindCombined(
      SharedStatement statement, RoutedStatement routed, Link link, byte[] array, int next)
      throws IOException {
    if (!isRunNext(array, next)) {
      return null;
    }
    UpdateBatching.Turn turn = session.updateBatching().run(routed, link, values);
    switch (turn.kind()) {
      case ALONE:
        return null;
      case WAIT:
        return Outcome.WAIT;
      default:
        session.plan().add(FixedMessage.BIND_COMPLETE);
        putPortal(new Portal.Combined(statement, turn.rows()));
        return Outcome.NEXT;
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

  private Outcome bindHere(SharedStatement statement, RoutedStatement routed) {
    describeWithBind = null;
    session.plan().add(FixedMessage.BIND_COMPLETE);
    putPortal(new Portal.OfRouter(statement, routed));
    return Outcome.NEXT;
  }

  private Outcome bindSpread(SharedStatement statement, RoutedStatement routed, Route route)
      throws IOException {
    if (describeWithBind != null) {
      if (!session.plan().isEmpty()) {
        return Outcome.WAIT;
      }
      SharedStatement described = describeWithBind;
      describeWithBind = null;
      describeSomewhere(described, routed);
    }
    Portal portal = spread.bind(statement, routed, route, bind, true);
    if (portal == null) {
      return Outcome.WAIT;
    }
    putPortal(portal);
    return Outcome.NEXT;
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
        session.plan().add(NodeReply.swallow(connection));
      }
      return UNNAMED;
    }
    connection.parse(statement);
    session.plan().add(NodeReply.swallow(connection));
    if (connection.closeSurplus()) {
      session.plan().add(NodeReply.swallow(connection));
    }
    return connection.prepared().name(statement);
  }

  private void writeBind(NodeConnection connection, byte[] name) {
    bind.write(connection.writer(), name);
  }

  Outcome describe(byte[] array, int at, int length) throws IOException {
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
      session.links().touch(onNode.link());
      NodeConnection connection = onNode.link().connection;
      connection.writer().bytes(array, at, length);
      session
          .plan()
          .add(
              onNode.origins() == null
                  ? NodeReply.pass(connection)
                  : onNode.origins().restore(connection));
    } else if (portal instanceof Portal.OnNodes onNodes) {
      spread.describe(onNodes, array, at, length);
    } else {
      session.plan().add(FixedMessage.NO_DATA);
    }
    return Outcome.NEXT;
  }

  private Outcome describeStatement(SharedStatement statement, byte[] array, int next)
      throws IOException {
    requireSound(statement);
    if (statement.command() != null || statement.isBlank()) {
      session.plan().add(FixedMessage.NO_PARAMETERS);
      session.plan().add(FixedMessage.NO_DATA);
      return Outcome.NEXT;
    }
    RoutedStatement routed = session.runner().routed(statement);
    if (routed == null) {
      return Outcome.WAIT;
    }
    if (UtilityExecution.isForSession(routed.utility()) || routed.facts().rewritten() != null) {
      session.plan().add(FixedMessage.NO_PARAMETERS);
      session.plan().add(FixedMessage.NO_DATA);
    } else if (isBoundNext(statement, array, next)) {
      describeWithBind = statement;
    } else {
      describeSomewhere(statement, routed);
    }
    return Outcome.NEXT;
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
      session.plan().add(PlanText.parameters(routed.facts().parameters()));
      session.plan().add(PlanText.description());
      return;
    }
    Link link = session.runner().home();
    session.links().connect(link);
    session.links().touch(link);
    describeStatement(link.connection, prepare(link.connection, statement.statement(), true));
  }

  private void describeStatement(NodeConnection connection, byte[] name) {
    connection.writer().begin(FrontendType.DESCRIBE).int1('S').string(name).end();
    session.plan().add(NodeReply.pass(connection));
  }

  Outcome execute(byte[] array, int at, int length) throws IOException {
    int nameEnd = CString.end(array, at + 5, at + length);
    Portal portal = session.portals().get(array, at + 5, nameEnd);
    if (portal == null) {
      throw noPortal(array, at + 5, nameEnd);
    }
    requireSound(portal.statement());
    if (portal instanceof Portal.OnNode onNode) {
      Link link = onNode.link();
      if (!link.isUsable()) {
        throw noPortal(array, at + 5, nameEnd);
      }
      link.wrote |= onNode.routed().writes();
      session.links().touch(link);
      session.runner().noteSingle(onNode.routed(), link);
      link.connection.writer().bytes(array, at, length);
      if (onNode.routed().facts().returnsRows()) {
        session.plan().expectRows();
      }
      session.plan().add(answer(onNode, BigEndian.int4(array, nameEnd + 1)));
      if (onNode.routed().maySet()) {
        session.watch().ask(link);
      }
      return Outcome.NEXT;
    }
    if (portal instanceof Portal.OnNodes onNodes) {
      byte[] name = Arrays.copyOfRange(array, at + 5, nameEnd);
      return spread.execute(onNodes, name, BigEndian.int4(array, nameEnd + 1));
    }
    if (portal instanceof Portal.Combined combined) {
      session.plan().add(UpdateBatching.tag(combined.rows()));
      return Outcome.NEXT;
    }
    return runHere((Portal.OfRouter) portal);
  }

  private NodeReply answer(Portal.OnNode portal, int limit) {
    NodeConnection connection = portal.link().connection;
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

  private Outcome runHere(Portal.OfRouter portal) throws IOException {
    SharedStatement statement = portal.statement();
    if (statement.isBlank()) {
      session.plan().add(FixedMessage.EMPTY_QUERY);
      return Outcome.NEXT;
    }
    return statement.command() != null
        ? session.control().run(statement)
        : utility.run(statement, portal.routed());
  }

  Outcome close(byte[] array, int at, int length) {
    int nameEnd = CString.end(array, at + 6, at + length);
    if (array[at + 5] == 'S') {
      // It stays prepared on the nodes, where other sessions may use it.
      session.statements().remove(array, at + 6, nameEnd);
      session.plan().add(FixedMessage.CLOSE_COMPLETE);
      return Outcome.NEXT;
    }
    Portal portal = session.portals().remove(array, at + 6, nameEnd);
    if (portal instanceof Portal.OnNode onNode && onNode.link().isUsable()) {
      closePortal(onNode.link(), array, at, length);
    } else if (portal instanceof Portal.OnNodes onNodes) {
      onNodes.links.stream()
          .filter(Link::isUsable)
          .forEach(link -> closePortal(link, array, at, length));
    }
    session.plan().add(FixedMessage.CLOSE_COMPLETE);
    return Outcome.NEXT;
  }

  private void closePortal(Link link, byte[] array, int at, int length) {
    session.links().touch(link);
    link.connection.writer().bytes(array, at, length);
    session.plan().add(NodeReply.swallow(link.connection));
  }

  private static Failure noStatement(byte[] array, int from, int to) {
    return Failure.of(
        "26000",
        from == to
            ? "unnamed prepared statement does not exist"
            : "prepared statement \"" + CString.read(array, from, to) + "\" does not exist");
  }

  private static Failure noPortal(byte[] array, int from, int to) {
    return Failure.of("34000", "portal \"" + CString.read(array, from, to) + "\" does not exist");
  }
}
