package org.abelian.router.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.router.analysis.ComputedFacts;
import org.abelian.router.analysis.GatheredFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.GatheredRows;
import org.abelian.router.execution.JointAnswers;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.execution.RowCollection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.routing.Route;
import org.abelian.router.statement.RoutedStatement;

/**
 * An INSERT ... SELECT or a MERGE whose rows go to other nodes than those that select them. The
 * router takes all rows first, so that what is selected does not see what is changed. Then each
 * node inserts or merges its own, given as one array for each column. All of it is one transaction.
 */
final class GatheredInsert {
  private final EngineContext context;
  private final BoundStatement bound;
  private final Route.GatheredInsert route;
  private final GatheredFacts facts;
  private final Catalog catalog;

  /** In the steps that {@link #bind} takes, for who has to do more between them. */
  GatheredInsert(EngineContext context, BoundStatement bound, Route.GatheredInsert route) {
    this.context = context;
    this.bound = bound;
    this.route = route;
    this.facts = route.facts();
    this.catalog = bound.routed().router().catalog();
  }

  /**
   * Selects the rows, and binds the INSERT of each node. Nothing else may wait to be answered.
   *
   * @param kept whether lookup indexes must be told of the rows
   * @return null when a node has failed, and the client was told
   */
  static Execution bind(
      EngineContext context, BoundStatement bound, Route.GatheredInsert route, boolean kept)
      throws IOException {
    context.transactions().openImplicit();
    GatheredRows rows = new GatheredRows(context.exchangeLimit(), context.memory());
    try {
      GatheredInsert insert = new GatheredInsert(context, bound, route);
      insert.select(rows);
      List<byte[][]> whole =
          context.replies().failed() ? List.of() : insert.withComputed(rows.rows());
      return context.replies().failed() ? null : insert.insert(whole, kept ? List.of() : null);
    } finally {
      rows.close();
    }
  }

  /** Takes the rows; nothing else may wait to be answered. */
  void select(GatheredRows rows) throws IOException {
    RoutedStatement source = SourceRows.routed(route.source(), facts.sourceFacts(), catalog);
    SourceRows.collect(context, bound, source, facts.source(), rows);
  }

  /** The rows with the columns that a node computes; nothing else may wait to be answered. */
  List<byte[][]> withComputed(List<byte[][]> rows) throws IOException {
    ComputedFacts computed = facts.computed();
    if (computed == null || rows.isEmpty()) {
      return rows;
    }
    Backend backend =
        computed.sequences()
            ? context.backends().backend(catalog.first())
            : context.backends().home(catalog);
    context.transactions().enter(backend, false);
    context.backends().requestAnswers();
    context.replies().runAll();
    if (context.replies().failed()) {
      return rows;
    }
    context.transactions().draws().beginNow(backend, computed.draws());
    List<Integer> types = new ArrayList<>(bound.routed().facts().parameters());
    types.add(INT4);
    ByteQueue count = new ByteQueue(16);
    count.append(Integer.toString(rows.size()).getBytes(StandardCharsets.US_ASCII));
    BindMessage bind = new BindMessage();
    bind.look(bound.bind().extended(List.of(count)), 0);
    NodeStatement query =
        context
            .replies()
            .numbers()
            .there(backend.connection.address(), NodeStatement.ofRows(computed.query(), types));
    QueryResult result = NodeCall.valuesOf(backend.connection, query, bind, false);
    if (!result.succeeded()) {
      backend.skips = true;
      throw new ClientError(result.errorFields());
    }
    List<byte[][]> whole = new ArrayList<>();
    for (int row = 0; row < rows.size(); row++) {
      whole.add(joined(rows.get(row), result.rows().get(row)));
    }
    return whole;
  }

  /** The OID of integer. */
  private static final int INT4 = 23;

  private static byte[][] joined(byte[][] one, byte[][] other) {
    byte[][] both = new byte[one.length + other.length][];
    System.arraycopy(one, 0, both, 0, one.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }

  /** Binds the INSERT of all rows on each node. */
  private Execution insertCopies(List<byte[][]> rows) {
    List<NodePortal> portals = new ArrayList<>();
    RowCollection all = collection(rows);
    context.exchanges().copied("inserted rows", List.of(all), route.nodes().size());
    List<ByteQueue> arrays = all.arrays();
    SeveralNodes.shareClock(context, route.nodes(), inserting());
    route.nodes().forEach(node -> portals.add(bindOn(node, arrays)));
    all.close();
    bound.answerBind(context.replies());
    return new BroadcastExecution(context, bound.routed(), portals, false);
  }

  /**
   * Binds the INSERT of each node.
   *
   * @param changed where the statement has changed rows already, if lookup indexes must be told;
   *     null when there are none to tell
   */
  Execution insert(List<byte[][]> rows, List<Backend> changed) {
    if (route.home() == null) {
      return insertCopies(rows);
    }
    List<NodePortal> portals = new ArrayList<>();
    Map<Integer, List<byte[][]>> parts = new TreeMap<>();
    List<Integer> homes = new ArrayList<>();
    for (byte[][] row : rows) {
      int node = route.home().nodeOf(row);
      homes.add(node);
      parts.computeIfAbsent(node, any -> new ArrayList<>()).add(row);
    }
    context.exchanges().divided("inserted rows", rows, parts.size());
    if (parts.isEmpty()) {
      parts.put(route.nodes().get(0), List.of()); // which says how many that are
    }
    List<Integer> order = new ArrayList<>(parts.keySet());
    JointAnswers answers =
        context.backends().joint(SeveralNodes.backends(context, bound.routed(), order), false);
    SeveralNodes.shareClock(context, order, inserting());
    SeveralNodes.together(
        context, answers, () -> parts.forEach((node, own) -> portals.add(portal(node, own))));
    bound.answerBind(context.replies());
    if (changed != null) {
      return new KeepingExecution(context, bound.routed(), portals, changed);
    }
    return new WriteExecution(
        context, bound.routed(), portals, answers, homes.stream().map(order::indexOf).toList());
  }

  /** Of rows that were counted when they came. */
  private RowCollection collection(List<byte[][]> rows) {
    int columns =
        facts.insertFacts().parameters().size() - bound.routed().facts().parameters().size();
    RowCollection collection = new RowCollection(columns, Long.MAX_VALUE, context.memory());
    rows.forEach(collection::take);
    return collection;
  }

  /** Binds the INSERT of the rows on one node. */
  NodePortal portal(int node, GatheredRows rows) {
    return portal(node, rows.rows());
  }

  private NodePortal portal(int node, List<byte[][]> rows) {
    RowCollection collection = collection(rows);
    NodePortal portal = bindOn(node, collection.arrays());
    collection.close();
    return portal;
  }

  private NodePortal bindOn(int node, List<ByteQueue> arrays) {
    Backend backend = SeveralNodes.enterToWrite(context, node, inserting());
    NodePortal portal = new NodePortal(context, backend, bound.portal());
    NodeStatement statement = NodeStatement.of(facts.insert(), facts.insertFacts().parameters());
    portal.bind(statement, bound.bind(), arrays);
    return portal;
  }

  /** What a node runs: it does not draw what was drawn before. */
  private RoutedStatement inserting() {
    boolean draws = !bound.routed().facts().calls().nodeFunctions().draws().isEmpty();
    return facts.computed() == null && !draws
        ? bound.routed()
        : SourceRows.routed(route.source(), facts.insertFacts(), catalog);
  }
}
