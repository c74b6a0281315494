package org.abelian.router.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.PartCollection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.routing.Route;
import org.abelian.router.routing.SplitTargets;
import org.abelian.router.statement.RoutedStatement;

/**
 * A broadcast join. The router takes the rows of the smaller tables, and gives all of them to every
 * node, which joins them with its own rows of the largest ones. In a repartition join a row goes
 * only to the node that holds the rows it can match, and no table need stay. One node finishes what
 * all have made of that. Both reads of a node are by one snapshot.
 */
final class BroadcastJoin {
  private static final byte[] UNNAMED = {};

  private final EngineContext context;
  private final BoundStatement bound;
  private final MergeFacts.Broadcast facts;

  private BroadcastJoin(EngineContext context, BoundStatement bound, MergeFacts.Broadcast facts) {
    this.context = context;
    this.bound = bound;
    this.facts = facts;
  }

  /**
   * Whether a read is run in this way: it may be bound several times, and less moves than when one
   * node gets all rows; or no more, where rows are divided.
   */
  static boolean applies(RoutedStatement routed, Route.Scatter route) {
    MergeFacts.Broadcast facts = route.merge().broadcast();
    int nodes = route.nodes().size();
    return facts != null
        && nodes > 1
        && facts.isCheaper(nodes)
        && JointSnapshot.isRepeatable(routed);
  }

  /** As {@link GatherExecution#bind}. */
  static Execution bind(EngineContext context, BoundStatement bound, Route.Scatter route)
      throws IOException {
    MergeFacts.Broadcast facts = route.merge().broadcast();
    BroadcastJoin join = new BroadcastJoin(context, bound, facts);
    List<NodePortal> first = new ArrayList<>();
    Route.Scatter others = new Route.Scatter(route.nodes(), facts.rows());
    Map<Integer, ToIntFunction<byte[][]>> targets =
        SplitTargets.of(facts.splits(), bound.routed().router().catalog(), route.nodes());
    PartCollection rows = GatherExecution.collect(context, bound, others, first, targets);
    try {
      if (context.replies().failed()) {
        return null;
      }
      context.exchanges().shared(rows, first.size());
      return join.bind(first, new Shares(route.nodes(), rows.arrays(route.nodes().size())));
    } finally {
      rows.close();
    }
  }

  /** What each node gets. */
  private record Shares(List<Integer> nodes, List<List<ByteQueue>> rows) {
    List<ByteQueue> of(NodePortal portal) {
      return rows.get(nodes.indexOf(portal.backend().nodeId));
    }
  }

  private Execution bind(List<NodePortal> first, Shares rows) throws IOException {
    PartCollection joined = GatherExecution.collection(context, facts.merge());
    try {
      join(first, rows, joined);
      if (context.replies().failed()) {
        return null;
      }
      context.exchanges().copied("joined rows", joined.parts(), 1);
      return bindFinal(rows.rows().get(0), joined.arrays());
    } finally {
      joined.close();
    }
  }

  /** Each node joins; the answers are collected. */
  private void join(List<NodePortal> first, Shares rows, PartCollection joined) throws IOException {
    SeveralNodes.together(
        context,
        SeveralNodes.backends(first),
        () -> first.forEach(earlier -> join(earlier, rows.of(earlier), joined)));
    if (!bound.routed().origins().isKnown()) {
      GatherExecution.learnOrigins(context, bound, first.get(0).backend());
    }
    context.backends().requestAnswers();
    context.replies().runAll();
  }

  private void join(NodePortal earlier, List<ByteQueue> rows, PartCollection joined) {
    NodeStatement statement =
        NodeStatement.ofRows(facts.merge().worker(), facts.rows().combineParameters());
    NodePortal portal = new NodePortal(context, earlier.backend(), UNNAMED);
    byte[] name = SharedSnapshot.name(context, earlier.name()).getBytes(StandardCharsets.US_ASCII);
    portal.rename(name);
    portal.bindAsText(statement, bound.bind(), rows);
    earlier.closeOwn();
    portal.run(0);
    context.replies().add(new CollectReply(earlier.connection(), joined));
    portal.closeOwn();
  }

  private Execution bindFinal(List<ByteQueue> rows, List<ByteQueue> joined) {
    MergeFacts merge = facts.merge();
    List<ByteQueue> arrays =
        new ArrayList<>(
            facts.finishNeedsRows() ? rows : Collections.nCopies(rows.size(), (ByteQueue) null));
    arrays.addAll(joined);
    NodeStatement statement = NodeStatement.of(merge.combine(), merge.combineParameters());
    Backend home = GatherExecution.finisher(context, bound, merge);
    return GatherExecution.bindFinal(context, bound, home, statement, false, arrays);
  }
}
