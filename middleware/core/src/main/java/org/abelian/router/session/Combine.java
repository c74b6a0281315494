package org.abelian.router.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.RowCollection;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ErrorFields;
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
      if (!session.replies().isEmpty()) {
        return null;
      }
      runWorkers(statement, routed, scatter, bind, gate);
      return null;
    }
    RowCollection collected = rows;
    rows = null;
    return bindCombine(statement, routed, scatter.merge(), bind, answer, collected);
  }

  private void runWorkers(
      SharedStatement statement,
      RoutedStatement routed,
      Route.Scatter scatter,
      BindMessage bind,
      SnapshotGate gate)
      throws IOException {
    MergeFacts merge = scatter.merge();
    List<Backend> backends = new ArrayList<>();
    for (int node : scatter.nodes()) {
      backends.add(session.backends().backend(routed.router().catalog(), node));
    }
    session.control().enterTogether(backends);
    rows = new RowCollection(merge.workerTypes().size(), LIMIT);
    NodeStatement worker = worker(routed, merge);
    SnapshotGate.Hold hold = gate.take(routed.router().catalog(), scatter.nodes());
    for (Backend backend : backends) {
      session.control().enter(backend, routed);
      byte[] name = session.extended().prepare(backend.connection, worker, true);
      FrameWriter writer = backend.connection.writer();
      writer.begin(FrontendType.BIND).int1(0).string(name);
      writer
          .bytes(bind.array(), bind.tailAt(), bind.resultFormatsAt() - bind.tailAt())
          .int2(0)
          .end();
      writer.begin(FrontendType.EXECUTE).int1(0).int4(0).end();
      session.replies().add(NodeReply.swallow(backend.connection));
    }
    session.replies().add(RouterWork.always(hold::release));
    backends.forEach(backend -> session.replies().add(new CollectReply(backend.connection, rows::add)));
    if (!routed.origins().isKnown()) {
      NodeConnection first = backends.get(0).connection;
      byte[] name = session.extended().prepare(first, statement.statement(), true);
      first.writer().begin(FrontendType.DESCRIBE).int1('S').string(name).end();
      session.replies().add(routed.origins().learn(first));
    }
  }

  /** A group of messages begins: rows of one that failed are of no use. */
  void forget() {
    rows = null;
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
      boolean answer,
      RowCollection collected) {
    if (collected.isOverLimit()) {
      throw new ClientError(
          ErrorFields.of(
                  "ERROR", "54000", "the rows to combine take more than " + (LIMIT >> 20) + " MB")
              .with(ErrorFields.DETAIL, collected.rows() + " rows came from the nodes.")
              .with(
                  ErrorFields.HINT,
                  "Narrow the query, or give the distribution key so that one node answers it."));
    }
    Backend home = session.runner().home();
    session.control().enter(home, false);
    NodeConnection connection = home.connection;
    if (routed.combine() == null) {
      routed.combine(NodeStatement.of(merge.combine(), merge.combineParameters()));
    }
    byte[] name = session.extended().prepare(connection, routed.combine(), true);
    FrameWriter writer = connection.writer();
    bind.begin(writer, name);
    bind.writeValues(writer, collected.arrays());
    writer.bytes(bind.array(), bind.resultFormatsAt(), bind.end() - bind.resultFormatsAt()).end();
    session.replies().add(answer ? NodeReply.pass(connection) : NodeReply.swallow(connection));
    return new Portal.OnNode(statement, routed, home, routed.origins(), null);
  }
}
