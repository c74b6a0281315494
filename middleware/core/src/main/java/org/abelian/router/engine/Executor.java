package org.abelian.router.engine;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.abelian.router.backend.Backend;
import org.abelian.router.error.AbelianException;
import org.abelian.router.routing.Route;
import org.abelian.router.statement.RoutedStatement;

/** Starts what a route says: the one place that knows which class runs which route. */
public final class Executor {
  private final EngineContext context;

  /** Runs statements of this session. */
  public Executor(EngineContext context) {
    this.context = context;
  }

  /** What executions use of their session. */
  public EngineContext context() {
    return context;
  }

  /** True when everything sent before must have been answered before it is bound. */
  public static boolean bindsQuiet(Route route) {
    Route inner = route instanceof Route.Keeping keeping ? keeping.inner() : route;
    return inner instanceof Route.GatheredInsert
        || inner instanceof Route.CopyIn copy && copy.added() != null
        || inner instanceof Route.GatheredWrite
        || route instanceof Route.Scatter scatter && scatter.isFinishedByNode();
  }

  /** As above, or because it is bound anew when its snapshots do not fit together. */
  public static boolean bindsQuiet(BoundStatement bound, Route route) {
    return bindsQuiet(route)
        || route instanceof Route.Scatter scatter
            && scatter.nodes().size() > 1
            && JointSnapshot.isRepeatable(bound.routed());
  }

  /** Whether it makes no difference how often a statement is run. */
  public static boolean isRepeatable(RoutedStatement routed) {
    return JointSnapshot.isRepeatable(routed);
  }

  /** Whether a read is a broadcast join. */
  public static boolean isBroadcastJoin(RoutedStatement routed, Route.Scatter route) {
    return BroadcastJoin.applies(routed, route);
  }

  /**
   * Declares a cursor over what one node makes of the rows of several. Nothing else may wait to be
   * answered.
   *
   * @param home the node that keeps it
   * @param declares DECLARE as the client wrote it, up to the query
   * @return false when a node has failed, and the client was told
   */
  public boolean declare(BoundStatement bound, Route.Scatter route, Backend home, String declares)
      throws IOException {
    context.transactions().shareClock(bound.routed());
    return GatherExecution.declare(context, bound, route, home, declares);
  }

  /** Declares a cursor over what its node can answer; the rest as above. */
  public void declare(BoundStatement bound, Backend home, String declares) {
    GatherExecution.declare(context, bound, home, declares);
  }

  /**
   * Binds a statement on its nodes, more than one of which may take part.
   *
   * @return null when nodes have failed, and the client was told
   */
  public Execution bind(BoundStatement bound, Route route) throws IOException {
    if (!readsAlone(bound)) {
      context.transactions().shareClock(bound.routed());
    }
    boolean keeping = route instanceof Route.Keeping;
    Route plan = route instanceof Route.Keeping change ? change.inner() : route;
    if (keeping && !KEEP_LOOKUPS.contains(plan.getClass())) {
      return KeepingExecution.bind(context, bound, plan);
    }
    Way<Route> way = WAYS.get(plan.getClass());
    if (way == null) {
      throw AbelianException.internal("no execution for " + plan, null);
    }
    return way.bind(this, bound, plan, keeping);
  }

  /** A read outside of any transaction: each node has its own time for it. */
  private boolean readsAlone(BoundStatement bound) {
    return !bound.routed().writes()
        && !bound.routed().locks()
        && !context.transactions().state().isOpen()
        && context.backends().touched().isEmpty();
  }

  /** How the routes of one kind are bound. */
  @FunctionalInterface
  private interface Way<R extends Route> {
    /**
     * Binds one of them.
     *
     * @param keeping true when the execution itself must tell lookup indexes what it changes
     */
    Execution bind(Executor executor, BoundStatement bound, R route, boolean keeping)
        throws IOException;
  }

  /** Every kind of route that this class binds. */
  private static final Map<Class<? extends Route>, Way<Route>> WAYS = ways();

  /** Kinds whose executions tell lookup indexes themselves. */
  private static final Set<Class<? extends Route>> KEEP_LOOKUPS =
      Set.of(
          Route.GatheredInsert.class,
          Route.GatheredWrite.class,
          Route.MovedRows.class,
          Route.CopyIn.class);

  private static Map<Class<? extends Route>, Way<Route>> ways() {
    Map<Class<? extends Route>, Way<Route>> ways = new HashMap<>();
    on(ways, Route.AllNodes.class, (self, bound, all, keeping) -> self.everywhere(bound, all));
    on(ways, Route.Scatter.class, (self, bound, scatter, keeping) -> self.read(bound, scatter));
    on(
        ways,
        Route.ScatterWrite.class,
        (self, bound, write, keeping) -> WriteExecution.bind(self.context, bound, write));
    on(
        ways,
        Route.Split.class,
        (self, bound, split, keeping) -> WriteExecution.bind(self.context, bound, split));
    on(
        ways,
        Route.GatheredInsert.class,
        (self, bound, insert, keeping) ->
            GatheredInsert.bind(self.context, bound, insert, keeping));
    on(
        ways,
        Route.GatheredWrite.class,
        (self, bound, write, keeping) -> GatheredWrite.bind(self.context, bound, write, keeping));
    on(
        ways,
        Route.MovedRows.class,
        (self, bound, moved, keeping) -> MovedRows.bind(self.context, bound, moved, keeping));
    on(
        ways,
        Route.Steps.class,
        (self, bound, steps, keeping) ->
            StepsExecution.bind(self.context, self::bind, bound, steps));
    on(
        ways,
        Route.GatheredTable.class,
        (self, bound, table, keeping) -> GatheredTable.bind(self.context, bound, table));
    on(
        ways,
        Route.CopyIn.class,
        (self, bound, copy, keeping) -> CopyInExecution.bind(self.context, bound, copy, keeping));
    on(
        ways,
        Route.Lookup.class,
        (self, bound, lookup, keeping) ->
            LookupExecution.bind(self.context, bound, lookup, self::bind));
    return Map.copyOf(ways);
  }

  private static <R extends Route> void on(
      Map<Class<? extends Route>, Way<Route>> ways, Class<R> kind, Way<R> way) {
    ways.put(
        kind, (self, bound, route, keeping) -> way.bind(self, bound, kind.cast(route), keeping));
  }

  /** The kinds of routes that {@link #bind} knows, besides {@link Route.Keeping}; for tests. */
  static Set<Class<? extends Route>> kinds() {
    return WAYS.keySet();
  }

  private Execution everywhere(BoundStatement bound, Route.AllNodes all) throws IOException {
    if (all.purpose() == Route.Purpose.BLOCK) {
      return BlockExecution.bind(context, bound);
    }
    boolean block = context.transactions().state().isBlock();
    return all.purpose() == Route.Purpose.NODE_BY_NODE && !block
        ? NodeByNodeExecution.bind(context, bound)
        : BroadcastExecution.bind(context, bound, all);
  }

  private Execution read(BoundStatement bound, Route.Scatter scatter) throws IOException {
    if (BroadcastJoin.applies(bound.routed(), scatter)) {
      return BroadcastJoin.bind(context, bound, scatter);
    }
    if (LimitExecution.applies(context, bound, scatter)) {
      return LimitExecution.bind(context, bound, scatter);
    }
    return bindsQuiet(scatter)
        ? GatherExecution.bind(context, bound, scatter)
        : ScatterExecution.bind(context, bound, scatter);
  }
}
