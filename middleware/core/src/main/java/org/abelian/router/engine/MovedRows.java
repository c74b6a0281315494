package org.abelian.router.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.GatheredRows;
import org.abelian.router.execution.JointAnswers;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.RoutedStatement;

/**
 * An UPDATE that gives rows new keys. Each node that may have such rows deletes them, and returns
 * them as they are to be. When the router has all of them, the nodes of the new keys insert them.
 * So a row may get the key of another one that gets another key, too. All of it is one transaction.
 */
final class MovedRows extends Execution {
  private static final byte[] UNNAMED = {};

  private final EngineContext context;
  private final BoundStatement bound;
  private final Route.MovedRows route;
  private final boolean kept;
  private final Catalog catalog;

  /** Inserts the rows, from when they are there. */
  private Execution insert;

  private MovedRows(
      EngineContext context, BoundStatement bound, Route.MovedRows route, boolean kept) {
    this.context = context;
    this.bound = bound;
    this.route = route;
    this.kept = kept;
    this.catalog = bound.routed().router().catalog();
  }

  /**
   * Nothing is done before it is executed.
   *
   * @param kept whether lookup indexes must be told of the rows
   */
  static Execution bind(
      EngineContext context, BoundStatement bound, Route.MovedRows route, boolean kept) {
    context.transactions().openImplicit();
    bound.answerBind(context.replies());
    BindMessage values = bound.bind().copy();
    return new MovedRows(context, bound.keeping(values), route, kept);
  }

  /** RETURNING is that of the INSERT, here of no rows. */
  @Override
  public void describe(Description wanted) {
    if (!bound.routed().facts().returnsRows()) {
      describeNothing(context.replies(), wanted);
      return;
    }
    GatheredRows none = new GatheredRows(0, context.memory());
    NodePortal portal = inserting().portal(route.nodes().get(0), none);
    portal.describe(wanted);
    portal.close();
  }

  private GatheredInsert inserting() {
    Route.GatheredInsert way =
        new Route.GatheredInsert(route.source(), route.facts(), route.nodes(), route.home());
    return new GatheredInsert(context, bound, way);
  }

  /** Is called again when what was sent before has been answered. */
  @Override
  public Progress execute(int limit) throws IOException {
    if (insert == null && !context.replies().isEmpty()) {
      return Progress.QUIET;
    }
    if (insert == null) {
      context.retry().forbidAfterWrites();
      GatheredRows rows = GatheredRows.moved(context.exchangeLimit(), context.memory());
      try {
        insert = move(rows);
      } finally {
        rows.close();
      }
    }
    return insert == null ? Progress.BARRIER : insert.execute(limit);
  }

  /** Deletes the rows, and binds what inserts them; null when a node has failed. */
  private Execution move(GatheredRows rows) throws IOException {
    List<Backend> changed = delete(rows);
    if (context.replies().failed()) {
      return null;
    }
    if (rows.rows().isEmpty()) {
      FixedMessage tag = FixedMessage.tag(bound.routed().facts().tag() + " 0");
      return CommandExecution.done(context.replies(), tag);
    }
    GatheredInsert inserting = inserting();
    List<byte[][]> whole = inserting.withComputed(rows.rows());
    return context.replies().failed() ? null : inserting.insert(whole, kept ? changed : null);
  }

  /** Nothing else may wait to be answered. */
  private List<Backend> delete(GatheredRows rows) throws IOException {
    RoutedStatement source =
        SourceRows.routed(route.source(), route.facts().sourceFacts(), catalog);
    BoundStatement deleting = new BoundStatement(bound.statement(), source, bound.bind(), false);
    List<Backend> backends = SeveralNodes.backends(context, deleting.routed(), nodes());
    JointAnswers answers = context.backends().joint(backends, false);
    SeveralNodes.shareClock(context, nodes(), deleting.routed());
    List<NodePortal> portals = portals(deleting, answers);
    if (portals == null) {
      return List.of();
    }
    SeveralNodes.together(context, answers, () -> portals.forEach(portal -> take(portal, rows)));
    context.backends().requestAnswers();
    context.replies().runAll();
    return backends;
  }

  private List<Integer> nodes() {
    if (route.source() instanceof Route.GatheredWrite write) {
      return write.nodes();
    }
    return route.source() instanceof Route.OneNode one
        ? List.of(one.node())
        : ((Route.ScatterWrite) route.source()).nodes();
  }

  private void take(NodePortal portal, GatheredRows rows) {
    portal.run(0);
    context.replies().add(new CollectReply(portal.connection(), rows));
  }

  private List<NodePortal> portals(BoundStatement deleting, JointAnswers answers)
      throws IOException {
    if (route.source() instanceof Route.GatheredWrite write) {
      return GatheredWrite.bindAsText(context, deleting, write, answers);
    }
    List<NodePortal> portals = new ArrayList<>();
    SeveralNodes.together(
        context, answers, () -> nodes().forEach(node -> portals.add(portal(node, deleting))));
    return portals;
  }

  private NodePortal portal(int node, BoundStatement deleting) {
    Backend backend = SeveralNodes.enterToWrite(context, node, deleting.routed());
    NodePortal portal = new NodePortal(context, backend, UNNAMED);
    NodeStatement delete =
        NodeStatement.of(route.facts().source(), deleting.routed().facts().parameters());
    portal.bindAsText(delete, false, deleting.bind());
    return portal;
  }

  @Override
  public void close() {
    if (insert != null) {
      insert.close();
    }
  }
}
