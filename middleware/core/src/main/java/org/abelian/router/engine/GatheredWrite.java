package org.abelian.router.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.execution.JointAnswers;
import org.abelian.router.execution.PartCollection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.routing.Route;
import org.abelian.router.statement.RoutedStatement;

/**
 * An UPDATE, DELETE or MERGE by rows of other nodes than those that change. The router takes all
 * rows that the statement reads. Then each node that may have rows to change runs the statement
 * over them, given as one array for each column. All of it is one transaction.
 */
final class GatheredWrite {
  private static final byte[] UNNAMED = {};

  private final EngineContext context;
  private final BoundStatement bound;
  private final Route.GatheredWrite route;
  private final Catalog catalog;

  private GatheredWrite(EngineContext context, BoundStatement bound, Route.GatheredWrite route) {
    this.context = context;
    this.bound = bound;
    this.route = route;
    this.catalog = bound.routed().router().catalog();
  }

  /**
   * Reads the rows, and binds the statement on each node. Nothing else may wait to be answered.
   *
   * @param kept whether lookup indexes must be told of what changes
   * @return null when a node has failed, and the client was told
   */
  static Execution bind(
      EngineContext context, BoundStatement bound, Route.GatheredWrite route, boolean kept)
      throws IOException {
    context.transactions().openImplicit();
    GatheredWrite write = new GatheredWrite(context, bound, route);
    PartCollection rows = write.read();
    try {
      return context.replies().failed() ? null : write.change(rows.arrays(), kept);
    } finally {
      rows.close();
    }
  }

  /**
   * Reads the rows, and binds the statement on each node so that what it returns comes as text.
   * Nothing else may wait to be answered.
   *
   * @param answers of the nodes, to which what they say to the portals belongs
   * @return null when a node has failed, and the client was told
   */
  static List<NodePortal> bindAsText(
      EngineContext context, BoundStatement bound, Route.GatheredWrite route, JointAnswers answers)
      throws IOException {
    GatheredWrite write = new GatheredWrite(context, bound, route);
    PartCollection rows = write.read();
    try {
      if (context.replies().failed()) {
        return null;
      }
      List<ByteQueue> arrays = rows.arrays();
      List<NodePortal> portals = new ArrayList<>();
      SeveralNodes.shareClock(context, route.nodes(), bound.routed());
      SeveralNodes.together(
          context,
          answers,
          () -> route.nodes().forEach(node -> portals.add(write.portalAsText(node, arrays))));
      return portals;
    } finally {
      rows.close();
    }
  }

  private PartCollection read() throws IOException {
    BoundStatement reading = new BoundStatement(bound.statement(), reading(), bound.bind(), false);
    PartCollection rows = GatherExecution.collect(context, reading, route.rows());
    context.exchanges().copied("gathered rows", rows.parts(), route.nodes().size());
    return rows;
  }

  /** What reads the rows, which was routed with the statement. */
  private RoutedStatement reading() {
    StatementFacts facts = bound.routed().facts().reading();
    return SourceRows.routed(route.rows(), facts, catalog);
  }

  private Execution change(List<ByteQueue> arrays, boolean kept) {
    List<NodePortal> portals = new ArrayList<>();
    JointAnswers answers =
        context
            .backends()
            .joint(SeveralNodes.backends(context, bound.routed(), route.nodes()), false);
    SeveralNodes.shareClock(context, route.nodes(), bound.routed());
    SeveralNodes.together(
        context, answers, () -> route.nodes().forEach(node -> portals.add(portal(node, arrays))));
    restoreOrigins(portals.get(0));
    bound.answerBind(context.replies());
    if (route.copies()) {
      return new BroadcastExecution(context, bound.routed(), portals, false);
    }
    return kept
        ? new KeepingExecution(context, bound.routed(), portals)
        : new WriteExecution(context, bound.routed(), portals, answers, List.of());
  }

  /** Columns of tables whose rows come as arrays have lost where they come from. */
  private void restoreOrigins(NodePortal described) {
    RoutedStatement routed = bound.routed();
    // A node that has not the session's temporary tables cannot describe the statement.
    if (routed.facts().returnsRows() && !routed.facts().usesTemporary()) {
      if (!routed.origins().isKnown()) {
        GatherExecution.learnOrigins(context, bound, described.backend());
      }
      described.origins(routed.origins());
    }
  }

  private NodePortal portal(int node, List<ByteQueue> arrays) {
    NodePortal portal =
        new NodePortal(
            context, SeveralNodes.enterToWrite(context, node, bound.routed()), bound.portal());
    portal.bind(statement(), bound.bind(), arrays);
    return portal;
  }

  private NodePortal portalAsText(int node, List<ByteQueue> arrays) {
    NodePortal portal =
        new NodePortal(context, SeveralNodes.enterToWrite(context, node, bound.routed()), UNNAMED);
    portal.bindAsText(statement(), bound.bind(), arrays);
    return portal;
  }

  private NodeStatement statement() {
    MergeFacts merge = route.rows().merge();
    return NodeStatement.of(merge.combine(), merge.combineParameters());
  }
}
