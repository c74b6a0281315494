package org.abelian.router.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.PartCollection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.routing.Route;
import org.abelian.router.statement.RoutedStatement;

/**
 * A broadcast join. The router takes the rows of the smaller tables, and gives all of them to every
 * node, which joins them with its own rows of the largest ones. One node finishes what all have
 * made of that. Both reads of a node are by one snapshot.
 */
final class BroadcastJoin {
  private static final byte[] UNNAMED = {};

  /** A portal of such a name reads by the snapshot of the one that is named behind. */
  private static final String SHARES = "abelian-as/";

  private static final int HEXADECIMAL = 16;

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
   * node gets all rows.
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
    PartCollection rows = GatherExecution.collect(context, bound, others, first);
    try {
      if (context.replies().failed()) {
        return null;
      }
      context.exchanges().copied("broadcast rows", rows.parts(), first.size());
      return join.bind(first, rows.arrays());
    } finally {
      rows.close();
    }
  }

  private Execution bind(List<NodePortal> first, List<ByteQueue> rows) throws IOException {
    PartCollection joined = GatherExecution.collection(context, facts.merge());
    try {
      join(first, rows, joined);
      if (context.replies().failed()) {
        return null;
      }
      context.exchanges().copied("joined rows", joined.parts(), 1);
      return bindFinal(rows, joined.arrays());
    } finally {
      joined.close();
    }
  }

  /** Each node joins; the answers are collected. */
  private void join(List<NodePortal> first, List<ByteQueue> rows, PartCollection joined)
      throws IOException {
    SeveralNodes.together(
        context,
        SeveralNodes.backends(first),
        () -> first.forEach(earlier -> join(earlier, rows, joined)));
    if (!bound.routed().origins().isKnown()) {
      GatherExecution.learnOrigins(context, bound, first.get(0).backend());
    }
    context.backends().requestAnswers();
    context.replies().runAll();
  }

  private void join(NodePortal earlier, List<ByteQueue> rows, PartCollection joined) {
    NodeStatement statement =
        NodeStatement.of(facts.merge().worker(), facts.rows().combineParameters());
    NodePortal portal = new NodePortal(context, earlier.backend(), UNNAMED);
    portal.rename(sharing(earlier));
    portal.bindAsText(statement, bound.bind(), rows);
    earlier.closeOwn();
    portal.run(0);
    context.replies().add(new CollectReply(earlier.connection(), joined));
    portal.closeOwn();
  }

  /** The name of a portal that reads by the snapshot of another one of this read. */
  private byte[] sharing(NodePortal earlier) {
    String name = new String(earlier.name(), StandardCharsets.US_ASCII);
    String own = Integer.toString(context.gate().nextRead(), HEXADECIMAL);
    return (SHARES + own + '/' + name.split("/")[1]).getBytes(StandardCharsets.US_ASCII);
  }

  private Execution bindFinal(List<ByteQueue> rows, List<ByteQueue> joined) {
    MergeFacts merge = facts.merge();
    List<ByteQueue> arrays =
        new ArrayList<>(
            facts.finishNeedsRows() ? rows : Collections.nCopies(rows.size(), (ByteQueue) null));
    arrays.addAll(joined);
    NodeStatement statement = NodeStatement.of(merge.combine(), merge.combineParameters());
    return GatherExecution.bindFinal(context, bound, statement, false, arrays);
  }
}
