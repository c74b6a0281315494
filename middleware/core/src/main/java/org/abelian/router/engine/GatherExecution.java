package org.abelian.router.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.PartCollection;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.execution.RowSink;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.Route;
import org.abelian.router.statement.RoutedStatement;

/**
 * A read whose rows one node must finish (grouping, ordering, limits). Each node runs the worker
 * query. One of them then runs the final query over all their rows, given as one array for each
 * column after the client's own parameters. So types, collations and aggregates are PostgreSQL's
 * own.
 */
final class GatherExecution {
  private static final byte[] UNNAMED = {};

  private final EngineContext context;
  private final BoundStatement bound;
  private final MergeFacts merge;

  /** Whether the client sees the rows. */
  private final boolean isClients;

  /** The workers' portals, which are left open; null to forget them. */
  private List<NodePortal> kept;

  private GatherExecution(
      EngineContext context, BoundStatement bound, MergeFacts merge, boolean isClients) {
    this.context = context;
    this.isClients = isClients;
    this.bound = bound;
    this.merge = merge;
  }

  /**
   * Runs the workers, and binds the final query. Nothing else may wait to be answered.
   *
   * @return the final query's execution; null when a worker has failed, and the client was told
   */
  static Execution bind(EngineContext context, BoundStatement bound, Route.Scatter route)
      throws IOException {
    GatherExecution gather = new GatherExecution(context, bound, route.merge(), true);
    PartCollection rows = gather.collection();
    try {
      gather.take(route.nodes(), rows);
      return context.replies().failed() ? null : gather.bindFinal(rows);
    } finally {
      rows.close();
    }
  }

  /** Runs the workers, and declares a cursor over the final query: {@link Executor#declare}. */
  static boolean declare(
      EngineContext context,
      BoundStatement bound,
      Route.Scatter route,
      Backend home,
      String declares)
      throws IOException {
    GatherExecution gather = new GatherExecution(context, bound, route.merge(), false);
    PartCollection rows = gather.collection();
    try {
      gather.take(route.nodes(), rows);
      boolean read = !context.replies().failed();
      if (read) {
        NodeStatement statement =
            NodeStatement.of(declares + gather.merge.combine(), gather.merge.combineParameters());
        declare(context, bound, home, statement, rows.arrays());
      }
      return read;
    } finally {
      rows.close();
    }
  }

  /** Declares a cursor over what its node can answer: {@link Executor#declare}. */
  static void declare(EngineContext context, BoundStatement bound, Backend home, String declares) {
    List<Integer> parameters = bound.routed().facts().parameters();
    NodeStatement statement = NodeStatement.of(declares + bound.statement().sql(), parameters);
    declare(context, bound, home, statement, List.of());
  }

  /** The values are the cursor's from then on, and so are the rows. */
  private static void declare(
      EngineContext context,
      BoundStatement bound,
      Backend home,
      NodeStatement statement,
      List<ByteQueue> rows) {
    context.transactions().enter(home, false);
    byte[] name = context.backends().prepare(home, statement, false, context.replies());
    FrameWriter writer = home.connection.writer();
    writer.begin(FrontendType.BIND).int1(0).string(name);
    bound.bind().writeValues(writer, rows);
    writer.int2(0).end();
    writer.begin(FrontendType.EXECUTE).int1(0).int4(0).end();
    context.replies().add(NodeReply.swallow(home.connection));
    context.replies().add(NodeReply.pass(home.connection));
  }

  /**
   * Runs a read whose rows the router itself takes. Nothing else may wait to be answered.
   *
   * @param bound of which the values are bound, and the routing is this read's alone
   * @param statement the read as a whole
   */
  static void collect(
      EngineContext context,
      BoundStatement bound,
      NodeStatement statement,
      Route.Scatter route,
      RowSink sink)
      throws IOException {
    GatherExecution gather = new GatherExecution(context, bound, route.merge(), false);
    if (route.merge().mode() != MergeFacts.Mode.COMBINE) {
      bound.routed().worker(statement);
      gather.runWorkers(route.nodes(), sink);
      return;
    }
    PartCollection rows = gather.collection();
    try {
      gather.take(route.nodes(), rows);
      if (!context.replies().failed()) {
        MergeFacts merge = gather.merge;
        NodeStatement last = NodeStatement.ofRows(merge.combine(), merge.combineParameters());
        gather.runOver(last, rows.arrays(), sink);
      }
    } finally {
      rows.close();
    }
  }

  /**
   * Has nodes give the rows of a read that is to be finished elsewhere. Nothing else may wait to be
   * answered.
   *
   * @return the rows, to be closed; of no use when a node has failed
   */
  static PartCollection collect(EngineContext context, BoundStatement bound, Route.Scatter route)
      throws IOException {
    return collect(context, bound, route, null, Map.of());
  }

  /**
   * The same.
   *
   * @param portals gets the nodes' portals, which stay open; null for none
   * @param targets finds the target of a row, an index into the nodes, for each part that is
   *     divided
   */
  static PartCollection collect(
      EngineContext context,
      BoundStatement bound,
      Route.Scatter route,
      List<NodePortal> portals,
      Map<Integer, ToIntFunction<byte[][]>> targets)
      throws IOException {
    GatherExecution gather = new GatherExecution(context, bound, route.merge(), false);
    gather.kept = portals;
    PartCollection rows = collection(context, route.merge(), targets, route.nodes().size());
    boolean complete = false;
    try {
      gather.runWorkers(route.nodes(), rows);
      complete = true;
      return rows;
    } finally {
      if (!complete) {
        rows.close();
      }
    }
  }

  /** A plan for joins is made anew for so many rows as there are. */
  private boolean isPlannedOnce() {
    return merge.parts().isEmpty();
  }

  private PartCollection collection() {
    return collection(context, merge);
  }

  /** Room for what the workers give. */
  static PartCollection collection(EngineContext context, MergeFacts merge) {
    return collection(context, merge, Map.of(), 1);
  }

  private static PartCollection collection(
      EngineContext context,
      MergeFacts merge,
      Map<Integer, ToIntFunction<byte[][]>> targets,
      int targetCount) {
    boolean whole = merge.parts().isEmpty();
    List<Integer> parts = whole ? List.of(merge.workerTypes().size()) : merge.parts();
    return new PartCollection(
        parts, !whole, targets, targetCount, context.exchangeLimit(), context.memory());
  }

  /** Has the nodes give the rows that matter. */
  private void take(List<Integer> nodes, PartCollection rows) throws IOException {
    takeFrom(nodes, rows);
    String what = merge.pullsRows() ? "gathered rows" : "partial results";
    context.exchanges().copied(what, rows.parts(), 1);
  }

  private void takeFrom(List<Integer> nodes, RowSink rows) throws IOException {
    boolean releases =
        merge.taken() != null && nodes.size() > 1 && context.transactions().state().isOpen();
    if (!releases) {
      runWorkers(nodes, rows);
      return;
    }
    LockedFirsts locked =
        new LockedFirsts(
            context, nodes.size(), merge.workerTypes().size(), context.exchangeLimit());
    try {
      List<Backend> backends = SeveralNodes.backends(context, bound.routed(), nodes);
      runWorkers(backends, locked::of, true);
      BitSet taken = locked.all();
      if (!context.replies().failed() && !locked.areOfOneNode()) {
        taken.clear();
        NodeStatement which = NodeStatement.of(merge.taken().text(), merge.combineParameters());
        runOver(which, locked.arrays(), LockedFirsts.into(taken));
      }
      if (!context.replies().failed()) {
        locked.settle(backends, taken, rows);
      }
    } finally {
      locked.close();
    }
  }

  /** Runs a query over rows on one node. */
  private void runOver(NodeStatement statement, List<ByteQueue> arrays, RowSink sink)
      throws IOException {
    Backend home = finisher(context, bound, merge);
    context.transactions().enter(home, false);
    byte[] name = context.backends().prepare(home, statement, false, context.replies());
    BindMessage bind = bound.bind();
    FrameWriter writer = home.connection.writer();
    writer.begin(FrontendType.BIND).int1(0).string(name);
    bind.writeValues(writer, arrays);
    writer.int2(0).end();
    writer.begin(FrontendType.EXECUTE).int1(0).int4(0).end();
    context.replies().add(NodeReply.swallow(home.connection));
    SeveralNodes.together(
        context,
        List.of(home),
        () -> context.replies().add(new CollectReply(home.connection, sink)));
    context.backends().requestAnswers();
    context.replies().runAll();
  }

  private void runWorkers(List<Integer> nodes, RowSink rows) throws IOException {
    runWorkers(SeveralNodes.backends(context, bound.routed(), nodes), place -> rows, false);
  }

  /**
   * @param rows takes the rows of a node, by its place
   * @param marked whether nodes make a savepoint before
   */
  private void runWorkers(List<Backend> backends, IntFunction<RowSink> rows, boolean marked)
      throws IOException {
    RoutedStatement routed = bound.routed();
    ReplyQueue replies = context.replies();
    boolean last = isClients && routed.origins().isKnown() && context.group().isOneStatement();
    boolean inTurn = locksInTurn(backends);
    Worker worker = new Worker(backends, marked, inTurn);
    JointSnapshot snapshot =
        new JointSnapshot(context, routed, backends, worker, !inTurn, last && !inTurn);
    if (!snapshot.take()) {
      return;
    }
    if (inTurn) {
      worker.runInTurn(backends, rows);
    } else {
      SeveralNodes.together(context, backends, () -> collect(backends, rows));
    }
    if (kept == null) {
      worker.portals.forEach(NodePortal::forget);
    } else {
      kept.addAll(worker.portals);
    }
    if (isClients && !routed.origins().isKnown()) {
      learnOrigins(context, bound, backends.get(0));
    }
    context.backends().requestAnswers();
    replies.runAll();
    snapshot.end();
  }

  /**
   * Whether a node locks its rows when those before it have locked theirs: at once, two sessions
   * that want the same first rows could each wait for the other.
   */
  private boolean locksInTurn(List<Backend> backends) {
    boolean several = bound.routed().locks() && backends.size() > 1;
    boolean wantsFirst = merge.taken() != null && merge.taken().waits();
    return several && (wantsFirst || context.retry().mustKeepOrder());
  }

  private void collect(List<Backend> backends, IntFunction<RowSink> rows) {
    for (int place = 0; place < backends.size(); place++) {
      NodeConnection connection = backends.get(place).connection;
      context.replies().add(new CollectReply(connection, rows.apply(place)));
    }
  }

  /** The worker query, in a portal of each node. */
  private final class Worker implements JointRead {
    private final List<NodePortal> portals = new ArrayList<>();
    private final boolean marked;
    private final boolean inTurn;
    private final BitSet marks = new BitSet();

    /**
     * @param backends of which the first one also gives the rows that it alone or every node has
     * @param marked whether nodes make a savepoint before
     * @param inTurn whether it is run by {@link #runInTurn} only
     */
    Worker(List<Backend> backends, boolean marked, boolean inTurn) {
      this.marked = marked;
      this.inTurn = inTurn;
      backends.forEach(backend -> portals.add(new NodePortal(context, backend, UNNAMED)));
    }

    @Override
    public void bind(int place, byte[] portal) {
      NodePortal there = portals.get(place);
      if (marked && !marks.get(place)) {
        marks.set(place); // It may be bound again.
        LockedFirsts.mark(context, there.backend());
      }
      if (portal != null) {
        there.rename(portal);
      }
      there.bindAsText(place == 0 ? ofOne() : worker(), isPlannedOnce(), bound.bind());
    }

    @Override
    public void run(int place) {
      if (!inTurn) {
        portals.get(place).run(0);
      }
    }

    /** Runs it on each node when those before it have given their rows. */
    void runInTurn(List<Backend> backends, IntFunction<RowSink> rows) throws IOException {
      for (int place = 0; place < portals.size() && !context.replies().failed(); place++) {
        portals.get(place).run(0);
        Backend backend = backends.get(place);
        context.replies().add(new CollectReply(backend.connection, rows.apply(place)));
        context.backends().requestAnswers();
        context.replies().runAll();
      }
    }

    @Override
    public void close(int place) {
      portals.get(place).forget();
    }

    @Override
    public NodePortal portal(int place) {
      return portals.get(place);
    }
  }

  /** The client is to see where the columns come from as one node would tell. */
  static void learnOrigins(EngineContext context, BoundStatement bound, Backend backend) {
    NodeStatement statement = bound.statement().statement();
    byte[] name = context.backends().prepare(backend, statement, true, context.replies());
    backend.connection.writer().begin(FrontendType.DESCRIBE).int1('S').string(name).end();
    context.replies().add(bound.routed().origins().learn(backend.connection));
  }

  /** What the first node runs, which comes first among the nodes of a read that needs it. */
  private NodeStatement ofOne() {
    return merge.workerOfOne() == null
        ? worker()
        : NodeStatement.ofRows(merge.workerOfOne(), bound.routed().facts().parameters());
  }

  private NodeStatement worker() {
    RoutedStatement routed = bound.routed();
    if (kept != null) { // The text is not that of the statement's own merge.
      return NodeStatement.ofRows(merge.worker(), routed.facts().parameters());
    }
    if (routed.worker() == null) {
      routed.worker(NodeStatement.ofRows(merge.worker(), routed.facts().parameters()));
    }
    return routed.worker();
  }

  private NodeStatement last() {
    RoutedStatement routed = bound.routed();
    if (routed.combine() == null) {
      routed.combine(NodeStatement.of(merge.combine(), merge.combineParameters()));
    }
    return routed.combine();
  }

  private Execution bindFinal(PartCollection rows) {
    return bindFinal(
        context, bound, finisher(context, bound, merge), last(), isPlannedOnce(), rows.arrays());
  }

  /** The node that finishes: the first one where its catalogue may be read, too. */
  static Backend finisher(EngineContext context, BoundStatement bound, MergeFacts merge) {
    Catalog catalog = bound.routed().router().catalog();
    return merge.firstNode()
        ? context.backends().backend(catalog.first())
        : context.backends().home(catalog);
  }

  /**
   * Binds what one node makes of rows, which is the client's.
   *
   * @param home that node
   * @param plannedOnce whether the plan may be kept for other rows
   * @param arrays of the rows, for the parameters behind the client's
   */
  static Execution bindFinal(
      EngineContext context,
      BoundStatement bound,
      Backend home,
      NodeStatement statement,
      boolean plannedOnce,
      List<ByteQueue> arrays) {
    context.transactions().enter(home, false);
    byte[] name = context.backends().prepare(home, statement, plannedOnce, context.replies());
    BindMessage bind = bound.bind();
    FrameWriter writer = home.connection.writer();
    bind.begin(writer, name);
    bind.writeValues(writer, arrays);
    writer.bytes(bind.array(), bind.resultFormatsAt(), bind.end() - bind.resultFormatsAt()).end();
    context
        .replies()
        .add(
            bound.extended()
                ? NodeReply.pass(home.connection)
                : NodeReply.swallow(home.connection));
    return SingleNodeExecution.of(context, bound, home, bound.routed().origins());
  }
}
