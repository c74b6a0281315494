package org.abelian.router.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.execution.Action;
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

  /** A group of messages has ended. */
  void endGroup() {
    combine.forget();
  }

  /** The session ends: nothing stays locked. */
  void close() {
    combine.forget();
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
    List<Link> links = new ArrayList<>();
    if (route instanceof Route.ScatterWrite scatter) {
      for (int node : scatter.nodes()) {
        links.add(bindOne(link(routed, node), routed, statement.statement(), true, bind));
      }
    } else if (route instanceof Route.CopyIn copy) {
      for (int node : copy.nodes()) {
        links.add(bindOne(link(routed, node), routed, statement.statement(), false, bind));
      }
    } else if (route instanceof Route.Split split) {
      for (Route.Part part : split.parts()) {
        links.add(
            bindOne(
                link(routed, part.node()),
                routed,
                NodeStatement.of(part.sql(), routed.facts().parameters()),
                false,
                bind));
      }
    }
    return bound(statement, routed, route, links, answer);
  }

  private Link link(RoutedStatement routed, int node) {
    return session.links().link(routed.router().catalog(), node);
  }

  private Portal bound(
      SharedStatement statement,
      RoutedStatement routed,
      Route route,
      List<Link> links,
      boolean answer) {
    if (answer) {
      session.plan().add(FixedMessage.BIND_COMPLETE);
    }
    return new Portal.OnNodes(statement, routed, route, List.copyOf(links));
  }

  private Link bindOne(
      Link link, RoutedStatement routed, NodeStatement statement, boolean named, BindMessage bind) {
    enter(link, routed);
    NodeConnection connection = link.connection;
    byte[] name = session.extended().prepare(connection, statement, named);
    bind.write(connection.writer(), name);
    session.plan().add(NodeReply.swallow(connection));
    return link;
  }

  private void enter(Link link, RoutedStatement routed) {
    session.control().enter(link, routed);
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
    List<Link> links = new ArrayList<>();
    for (var node : routed.router().catalog().nodes()) {
      links.add(session.links().link(node));
    }
    boolean byItself = isByItself(all);
    if (!byItself && all.purpose() == Route.Purpose.NODE_BY_NODE && routed.mustBeAlone()) {
      links.subList(1, links.size()).clear(); // The first node refuses it, in PostgreSQL's words.
    }
    if (!byItself) {
      if (links.size() > 1) {
        session.control().openImplicit();
      }
      String rewritten = routed.facts().rewritten();
      NodeStatement text = rewritten == null ? statement.statement() : NodeStatement.of(rewritten);
      for (Link link : links) {
        enter(link, routed);
        if (routed.changesSchema(all)) {
          announceChange(link);
        }
        bindOne(link, routed, text, false, bind);
      }
    }
    if (routed.changesSchema(all)) {
      session.control().ending().schemaChanged();
      session.runner().seesUncommittedSchema();
    }
    return bound(statement, routed, all, links, answer);
  }

  /** Whether each node runs it outside of the session's transaction. */
  private boolean isByItself(Route.AllNodes all) {
    return all.purpose() == Route.Purpose.NODE_BY_NODE && !session.transaction().isBlock();
  }

  /**
   * Tells the node that every node makes this change, and which one it is: sequences of distributed
   * tables count differently on each. Nodes without seals know by their settings.
   */
  private void announceChange(Link link) {
    String seal = link.connection.seal("change_schema", Integer.toString(link.nodeId));
    if (seal != null) {
      String sql =
          "SELECT abelian.change_schema('%s',%d,'%s')"
              .formatted(session.router().uuid(), link.nodeId, seal);
      session.control().inject(link, NodeStatement.of(sql), false);
    }
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
    List<Link> links = scatter.nodes().stream().map(node -> link(routed, node)).toList();
    SnapshotGate.Hold hold = hold(routed, links);
    for (Link link : links) {
      bindOne(link, routed, statement.statement(), true, bind);
    }
    session.plan().add(Action.always(hold::release));
    return bound(statement, routed, scatter, links, answer);
  }

  /**
   * Makes a read enter these nodes, and holds their commit gates; to be released when all have
   * bound it, which is when they take its snapshots.
   */
  SnapshotGate.Hold hold(RoutedStatement routed, List<Link> links) throws IOException {
    session.control().enterTogether(links);
    return gate.take(routed.router().catalog(), Link.nodes(links));
  }

  /** One node describes what all of them give. */
  void describe(Portal.OnNodes portal, byte[] array, int at, int length) {
    if (portal.explanation != null) {
      session.plan().add(PlanText.description(portal.resultFormats));
      return;
    }
    if (portal.strategy instanceof IndependentCall && portal.intent != null) {
      portal.describes = true; // The nodes see it when they run it.
      return;
    }
    boolean none =
        portal.needsNoVote() // no node has it yet
            || portal.routed.facts().rewritten() != null
            || portal.route instanceof Route.AllNodes all && isByItself(all);
    if (none) {
      session.plan().add(FixedMessage.NO_DATA);
      return;
    }
    Link link = portal.links.get(0);
    session.links().touch(link);
    link.connection.writer().bytes(array, at, length);
    session.plan().add(NodeReply.pass(link.connection));
  }

  /**
   * Runs it.
   *
   * @param name the portal's name on the nodes
   * @param limit how many rows of a read to give; 0 for all. Clients give one to writes too, which
   *     run to their end
   */
  Outcome execute(Portal.OnNodes portal, byte[] name, int limit) throws IOException {
    if (portal.strategy != null) {
      return portal.strategy.execute(portal, name);
    }
    if (portal.explanation != null) {
      return session.explain().execute(portal, name);
    }
    session.notRetryableAfterWrites(portal.routed.writes());
    if (portal.route instanceof Route.AllNodes all) {
      return isByItself(all) ? executeNodeByNode(portal) : executeEverywhere(portal, name);
    }
    if (portal.route instanceof Route.CopyIn copy) {
      return executeCopy(portal, name, copy);
    }
    if (limit > 0 && portal.route instanceof Route.Scatter) {
      return executeLimited(portal, name, limit);
    }
    TagSum sum = new TagSum();
    for (Link link : portal.links) {
      executeOne(link, name, 0);
      session.plan().add(NodeReply.share(link.connection, sum));
    }
    session.plan().add(Action.then(() -> session.output().commandComplete(sum.tag())));
    return Outcome.NEXT;
  }

  private void executeOne(Link link, byte[] name, int limit) {
    session.plan().expectRows();
    session.links().touch(link);
    link.connection.writer().begin(FrontendType.EXECUTE).string(name).int4(limit).end();
  }

  /**
   * The first node goes ahead, so that two such statements wait for each other there and nowhere
   * else.
   */
  private Outcome executeEverywhere(Portal.OnNodes portal, byte[] name) {
    boolean quiet = portal.routed.facts().rewritten() != null;
    if (portal.progress == 0) {
      Link first = portal.links.get(0);
      executeOne(first, name, 0);
      session
          .plan()
          .add(quiet ? NodeReply.swallow(first.connection) : NodeReply.pass(first.connection));
      portal.progress = 1;
      if (portal.links.size() > 1) {
        return Outcome.WAIT;
      }
    }
    for (Link link : portal.links.subList(1, portal.links.size())) {
      executeOne(link, name, 0);
      session.plan().add(NodeReply.swallow(link.connection));
    }
    portal.progress = 0;
    if (quiet) {
      session.plan().add(FixedMessage.tag("CALL"));
    }
    session.groups().settleBeforeNext();
    return Outcome.NEXT;
  }

  /** All nodes wait for data at the same time; nothing else may be sent to them before it ends. */
  private Outcome executeCopy(Portal.OnNodes portal, byte[] name, Route.CopyIn copy) {
    for (Link link : portal.links) {
      executeOne(link, name, 0);
    }
    List<NodeConnection> nodes = portal.links.stream().map(link -> link.connection).toList();
    session
        .plan()
        .add(new CopyIn(copy.table(), nodes, copy.division(), session.groups()::hasSynced));
    session.groups().settleBeforeNext();
    return Outcome.NEXT;
  }

  /**
   * Statements that no transaction block may hold: each node by itself, and the first error ends
   * it.
   */
  private Outcome executeNodeByNode(Portal.OnNodes portal) {
    if (!session.plan().isEmpty()) {
      return Outcome.WAIT;
    }
    session.notRetryable();
    String tag = "";
    for (Link link : portal.links) {
      session.links().connect(link);
      QueryResult result = runByItself(link, portal.statement().sql());
      if (!result.succeeded()) {
        throw new Failure(result.errorFields());
      }
      if (link == portal.links.get(0)) {
        result.notices().forEach(session.output()::pass);
      }
      tag = result.tag();
    }
    session.output().commandComplete(tag);
    return Outcome.NEXT;
  }

  private static QueryResult runByItself(Link link, String sql) {
    try {
      return NodeCall.simple(link.connection, sql);
    } catch (NodeLostException lost) {
      throw new Failure(SessionErrors.effectUnknown(lost.getMessage()));
    }
  }

  /** Rows are taken from one node after the other until there are enough. */
  private Outcome executeLimited(Portal.OnNodes portal, byte[] name, int limit) {
    if (!session.plan().isEmpty()) {
      return Outcome.WAIT;
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
      if (portal.progress == portal.links.size() || portal.rowsLeft <= 0) {
        return limitReached(portal);
      }
      portal.sum = new TagSum();
    }
    if (portal.progress == portal.links.size()) {
      return limitReached(portal);
    }
    Link link = portal.links.get(portal.progress);
    executeOne(link, name, portal.rowsLeft);
    session.plan().add(NodeReply.share(link.connection, portal.sum));
    return Outcome.WAIT;
  }

  private Outcome limitReached(Portal.OnNodes portal) {
    portal.running = false;
    if (portal.progress == portal.links.size()) {
      session.output().commandComplete("SELECT " + portal.given);
    } else {
      session.plan().add(FixedMessage.PORTAL_SUSPENDED);
    }
    return Outcome.NEXT;
  }
}
