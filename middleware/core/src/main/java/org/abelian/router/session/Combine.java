package org.abelian.router.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.execution.Action;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.RowCollection;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.Route;

/**
 * Reads whose rows one node must finish (grouping, ordering, limits): each node runs the worker
 * query, and the first runs the combine query over all their rows, given as one array for each
 * column after the client's own parameters. So types, collations and aggregates are PostgreSQL's
 * own.
 */
final class Combine {
  /** So many bytes of workers' rows are held at most. */
  private static final long LIMIT = 64L << 20;

  private final Session session;
  private RowCollection rows;

  Combine(Session session) {
    this.session = session;
  }

  /**
   * Runs the workers, and when their rows are there, binds the combine query; null between the two.
   */
  Portal bind(
      SharedStatement statement,
      RoutedStatement routed,
      Route.Scatter scatter,
      BindMessage bind,
      boolean answer,
      SnapshotGate gate)
      throws IOException {
    if (rows == null) {
      if (!session.plan().isEmpty()) {
        return null;
      }
      runWorkers(statement, routed, scatter, bind, gate);
      return null;
    }
    try {
      return bindCombine(statement, routed, scatter.merge(), bind, answer);
    } finally {
      forget();
    }
  }

  private void runWorkers(
      SharedStatement statement,
      RoutedStatement routed,
      Route.Scatter scatter,
      BindMessage bind,
      SnapshotGate gate)
      throws IOException {
    MergeFacts merge = scatter.merge();
    List<Link> links = new ArrayList<>();
    for (int node : scatter.nodes()) {
      links.add(session.links().link(routed.router().catalog(), node));
    }
    session.control().enterTogether(links);
    rows = new RowCollection(merge.workerTypes().size(), LIMIT, session.router().memory());
    NodeStatement worker = worker(routed, merge);
    SnapshotGate.Hold hold = gate.take(routed.router().catalog(), scatter.nodes());
    for (Link link : links) {
      session.control().enter(link, routed);
      byte[] name = session.extended().prepare(link.connection, worker, true);
      FrameWriter writer = link.connection.writer();
      writer.begin(FrontendType.BIND).int1(0).string(name);
      writer
          .bytes(bind.array(), bind.tailAt(), bind.resultFormatsAt() - bind.tailAt())
          .int2(0)
          .end();
      writer.begin(FrontendType.EXECUTE).int1(0).int4(0).end();
      session.plan().add(NodeReply.swallow(link.connection));
    }
    session.plan().add(Action.always(hold::release));
    Runnable cancel = () -> links.forEach(link -> link.connection.cancel(session));
    links.forEach(link -> session.plan().add(new CollectReply(link.connection, rows, cancel)));
    if (!routed.origins().isKnown()) {
      NodeConnection first = links.get(0).connection;
      byte[] name = session.extended().prepare(first, statement.statement(), true);
      first.writer().begin(FrontendType.DESCRIBE).int1('S').string(name).end();
      session.plan().add(routed.origins().learn(first));
    }
  }

  /** A group of messages begins or ends: rows of one that failed are of no use. */
  void forget() {
    if (rows != null) {
      rows.close();
      rows = null;
    }
  }

  private NodeStatement worker(RoutedStatement routed, MergeFacts merge) {
    if (routed.worker() == null) {
      routed.worker(NodeStatement.of(merge.worker(), routed.facts().parameters()));
    }
    return routed.worker();
  }

  private Portal bindCombine(
      SharedStatement statement,
      RoutedStatement routed,
      MergeFacts merge,
      BindMessage bind,
      boolean answer) {
    Link home = session.runner().home();
    session.control().enter(home, false);
    NodeConnection connection = home.connection;
    if (routed.combine() == null) {
      routed.combine(NodeStatement.of(merge.combine(), merge.combineParameters()));
    }
    byte[] name = session.extended().prepare(connection, routed.combine(), true);
    FrameWriter writer = connection.writer();
    bind.begin(writer, name);
    bind.writeValues(writer, rows.arrays());
    writer.bytes(bind.array(), bind.resultFormatsAt(), bind.end() - bind.resultFormatsAt()).end();
    session.plan().add(answer ? NodeReply.pass(connection) : NodeReply.swallow(connection));
    return new Portal.OnNode(statement, routed, home, routed.origins(), null);
  }
}
