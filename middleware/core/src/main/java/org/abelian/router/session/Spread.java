package org.abelian.router.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.execution.CopyIn;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.PlanText;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.execution.TagSum;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.Route;

/**
 * Statements that concern several nodes. Each node gets the statement, or its part of it, under the
 * client's portal name; the answers are added or put one after the other. Writes become one
 * transaction over the nodes.
 */
final class Spread {
  private final Session session;
  private final Combine combine;
  private final SnapshotGate gate;

  Spread(Session session) {
    this.session = session;
    combine = new Combine(session);
    gate = new SnapshotGate(session);
  }

  /** A group of messages begins. */
  void beginGroup() {
    combine.forget();
    gate.abandon();
  }

  /** The session ends: nothing stays locked. */
  void close() {
    gate.abandon();
  }

  /**
   * Binds on each node.
   *
   * @param answer true when the client is to be told BindComplete
   * @return the portal, or null when earlier answers must come first
   */
  Portal bind(
      SharedStatement statement,
      RoutedStatement routed,
      Route route,
      BindMessage bind,
      boolean answer)
      throws IOException {
    if (routed.explains() != null) {
      return session.explain().bind(statement, routed, route, bind, answer);
    }
    if (route instanceof Route.AllNodes all) {
      return bindEverywhere(statement, routed, all, bind, answer);
    }
    if (route instanceof Route.Scatter scatter) {
      return bindRead(statement, routed, scatter, bind, answer);
    }
    if (route instanceof Route.Procedure procedure) {
      return session.procedures().bind(statement, routed, procedure, bind, answer);
    }
    session.control().openImplicit();
    List<Backend> backends = new ArrayList<>();
    if (route instanceof Route.ScatterWrite scatter) {
      for (int node : scatter.nodes()) {
        backends.add(bindOne(backend(routed, node), routed, statement.statement(), true, bind));
      }
    } else if (route instanceof Route.CopyIn copy) {
      for (int node : copy.nodes()) {
        backends.add(bindOne(backend(routed, node), routed, statement.statement(), false, bind));
      }
    } else if (route instanceof Route.Split split) {
      for (Route.Part part : split.parts()) {
        backends.add(
            bindOne(
                backend(routed, part.node()),
                routed,
                NodeStatement.of(part.sql(), routed.facts().parameters()),
                false,
                bind));
      }
    }
    return bound(statement, routed, route, backends, answer);
  }

  private Backend backend(RoutedStatement routed, int node) {
    return session.backends().backend(routed.router().catalog(), node);
  }

  private Portal bound(
      SharedStatement statement,
      RoutedStatement routed,
      Route route,
      List<Backend> backends,
      boolean answer) {
    if (answer) {
      session.replies().add(FixedMessage.BIND_COMPLETE);
    }
    return new Portal.OnNodes(statement, routed, route, List.copyOf(backends));
  }

  private Backend bindOne(
      Backend backend, RoutedStatement routed, NodeStatement statement, boolean named, BindMessage bind) {
    enter(backend, routed);
    NodeConnection connection = backend.connection;
    byte[] name = session.extended().prepare(connection, statement, named);
    bind.write(connection.writer(), name);
    session.replies().add(NodeReply.swallow(connection));
    return backend;
  }

  private void enter(Backend backend, RoutedStatement routed) {
    session.control().enter(backend, routed);
    if (routed.writes()) {
      session.transaction().work().refuse(ExplainText.SEVERAL);
    }
  }

  private Portal bindEverywhere(
      SharedStatement statement,
      RoutedStatement routed,
      Route.AllNodes all,
      BindMessage bind,
      boolean answer) {
    List<Backend> backends = new ArrayList<>();
    for (var node : routed.router().catalog().nodes()) {
      backends.add(session.backends().backend(node));
    }
    if (all.purpose() != Route.Purpose.NODE_BY_NODE) {
      if (backends.size() > 1) {
        session.control().openImplicit();
      }
      String rewritten = routed.facts().rewritten();
      NodeStatement text = rewritten == null ? statement.statement() : NodeStatement.of(rewritten);
      for (Backend backend : backends) {
        enter(backend, routed);
        if (routed.changesSchema(all) && backends.size() > 1) {
          tellItsNumber(backend);
        }
        bindOne(backend, routed, text, false, bind);
      }
    }
    if (routed.changesSchema(all)) {
      session.control().ending().schemaChanged();
      session.runner().seesUncommittedSchema();
    }
    return bound(statement, routed, all, backends, answer);
  }

  /** Sequences of distributed tables count differently on each node. */
  private void tellItsNumber(Backend backend) {
    NodeStatement number = NodeStatement.of("SET LOCAL abelian.node_id = " + backend.nodeId);
    session.control().inject(backend, number, false);
  }

  private Portal bindRead(
      SharedStatement statement,
      RoutedStatement routed,
      Route.Scatter scatter,
      BindMessage bind,
      boolean answer)
      throws IOException {
    if (scatter.merge().mode() == MergeFacts.Mode.COMBINE) {
      return combine.bind(statement, routed, scatter, bind, answer, gate);
    }
    List<Backend> backends = scatter.nodes().stream().map(node -> backend(routed, node)).toList();
    SnapshotGate.Hold hold = hold(routed, backends);
    for (Backend backend : backends) {
      bindOne(backend, routed, statement.statement(), true, bind);
    }
    session.replies().add(RouterWork.always(hold::release));
    return bound(statement, routed, scatter, backends, answer);
  }

  /**
   * Makes a read enter these nodes, and holds their commit gates; to be released when all have
   * bound it, which is when they take its snapshots.
   */
  SnapshotGate.Hold hold(RoutedStatement routed, List<Backend> backends) throws IOException {
    session.control().enterTogether(backends);
    return gate.take(routed.router().catalog(), Backend.nodes(backends));
  }

  /** One node describes what all of them give. */
  void describe(Portal.OnNodes portal, byte[] array, int at, int length) {
    if (portal.explanation != null) {
      session.replies().add(PlanText.description(portal.resultFormats));
      return;
    }
    if (portal.strategy instanceof IndependentCall && portal.intent != null) {
      portal.describes = true; // The nodes see it when they run it.
      return;
    }
    boolean none =
        portal.needsNoVote() // no node has it yet
            || portal.routed.facts().rewritten() != null
            || portal.route instanceof Route.AllNodes all
                && all.purpose() == Route.Purpose.NODE_BY_NODE;
    if (none) {
      session.replies().add(FixedMessage.NO_DATA);
      return;
    }
    Backend backend = portal.backends.get(0);
    session.backends().touch(backend);
    backend.connection.writer().bytes(array, at, length);
    session.replies().add(NodeReply.pass(backend.connection));
  }

  /**
   * Runs it.
   *
   * @param name the portal's name on the nodes
   * @param limit how many rows of a read to give; 0 for all. Clients give one to writes too, which
   *     run to their end
   */
  Progress execute(Portal.OnNodes portal, byte[] name, int limit) throws IOException {
    if (portal.strategy != null) {
      return portal.strategy.execute(portal, name);
    }
    if (portal.explanation != null) {
      return session.explain().execute(portal, name);
    }
    session.notRetryableAfterWrites(portal.routed.writes());
    if (portal.route instanceof Route.AllNodes all) {
      return all.purpose() == Route.Purpose.NODE_BY_NODE
          ? executeNodeByNode(portal)
          : executeEverywhere(portal, name);
    }
    if (portal.route instanceof Route.CopyIn copy) {
      return executeCopy(portal, name, copy);
    }
    if (limit > 0 && portal.route instanceof Route.Scatter) {
      return executeLimited(portal, name, limit);
    }
    TagSum sum = new TagSum();
    for (Backend backend : portal.backends) {
      executeOne(backend, name, 0);
      session.replies().add(NodeReply.share(backend.connection, sum));
    }
    session.replies().add(RouterWork.then(() -> session.output().commandComplete(sum.tag())));
    return Progress.NEXT;
  }

  private void executeOne(Backend backend, byte[] name, int limit) {
    session.backends().touch(backend);
    backend.connection.writer().begin(FrontendType.EXECUTE).string(name).int4(limit).end();
  }

  /**
   * The first node goes ahead, so that two such statements wait for each other there and nowhere
   * else.
   */
  private Progress executeEverywhere(Portal.OnNodes portal, byte[] name) {
    boolean quiet = portal.routed.facts().rewritten() != null;
    if (portal.progress == 0) {
      Backend first = portal.backends.get(0);
      executeOne(first, name, 0);
      session
          .replies()
          .add(quiet ? NodeReply.swallow(first.connection) : NodeReply.pass(first.connection));
      portal.progress = 1;
      if (portal.backends.size() > 1) {
        return Progress.WAIT;
      }
    }
    for (Backend backend : portal.backends.subList(1, portal.backends.size())) {
      executeOne(backend, name, 0);
      session.replies().add(NodeReply.swallow(backend.connection));
    }
    portal.progress = 0;
    if (quiet) {
      session.replies().add(FixedMessage.tag("CALL"));
    }
    session.groups().settleBeforeNext();
    return Progress.NEXT;
  }

  /** All nodes wait for data at the same time; nothing else may be sent to them before it ends. */
  private Progress executeCopy(Portal.OnNodes portal, byte[] name, Route.CopyIn copy) {
    for (Backend backend : portal.backends) {
      executeOne(backend, name, 0);
    }
    List<NodeConnection> nodes = portal.backends.stream().map(backend -> backend.connection).toList();
    session
        .replies()
        .add(new CopyIn(copy.table(), nodes, copy.division(), session.groups()::hasSynced));
    session.groups().settleBeforeNext();
    return Progress.NEXT;
  }

  /**
   * Statements that no transaction block may hold: each node by itself, and the first error ends
   * it.
   */
  private Progress executeNodeByNode(Portal.OnNodes portal) {
    if (!session.replies().isEmpty()) {
      return Progress.WAIT;
    }
    if (session.transaction().isBlock()) {
      throw ClientError.of(
          "25001", portal.routed.facts().tag() + " cannot run inside a transaction block");
    }
    session.notRetryable();
    String tag = "";
    for (Backend backend : portal.backends) {
      session.backends().connect(backend);
      QueryResult result = runByItself(backend, portal.statement().sql());
      if (!result.succeeded()) {
        throw new ClientError(result.errorFields());
      }
      tag = result.tag();
    }
    session.output().commandComplete(tag);
    return Progress.NEXT;
  }

  private static QueryResult runByItself(Backend backend, String sql) {
    try {
      return NodeCall.simple(backend.connection, sql);
    } catch (NodeLostException lost) {
      throw new ClientError(SessionErrors.effectUnknown(lost.getMessage()));
    }
  }

  /** Rows are taken from one node after the other until there are enough. */
  private Progress executeLimited(Portal.OnNodes portal, byte[] name, int limit) {
    if (!session.replies().isEmpty()) {
      return Progress.WAIT;
    }
    if (!portal.running) {
      portal.running = true;
      portal.rowsLeft = limit;
      portal.given = 0;
      portal.sum = new TagSum();
    } else {
      long rows = portal.sum.rows();
      portal.rowsLeft -= (int) rows;
      portal.given += rows;
      portal.progress += portal.sum.isSuspended() ? 0 : 1;
      if (portal.progress == portal.backends.size() || portal.rowsLeft <= 0) {
        return limitReached(portal);
      }
      portal.sum = new TagSum();
    }
    if (portal.progress == portal.backends.size()) {
      return limitReached(portal);
    }
    Backend backend = portal.backends.get(portal.progress);
    executeOne(backend, name, portal.rowsLeft);
    session.replies().add(NodeReply.share(backend.connection, portal.sum));
    return Progress.WAIT;
  }

  private Progress limitReached(Portal.OnNodes portal) {
    portal.running = false;
    if (portal.progress == portal.backends.size()) {
      session.output().commandComplete("SELECT " + portal.given);
    } else {
      session.replies().add(FixedMessage.PORTAL_SUSPENDED);
    }
    return Progress.NEXT;
  }
}
