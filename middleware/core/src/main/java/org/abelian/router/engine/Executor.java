package org.abelian.router.engine;

import java.io.IOException;
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
    if (route instanceof Route.AllNodes all) {
      boolean block = context.transactions().state().isBlock();
      return all.purpose() == Route.Purpose.NODE_BY_NODE && !block
          ? NodeByNodeExecution.bind(context, bound)
          : BroadcastExecution.bind(context, bound, all);
    } else if (route instanceof Route.Scatter scatter) {
      if (BroadcastJoin.applies(bound.routed(), scatter)) {
        return BroadcastJoin.bind(context, bound, scatter);
      }
      if (LimitExecution.applies(context, bound, scatter)) {
        return LimitExecution.bind(context, bound, scatter);
      }
      return bindsQuiet(route)
          ? GatherExecution.bind(context, bound, scatter)
          : ScatterExecution.bind(context, bound, scatter);
    } else if (route instanceof Route.ScatterWrite write) {
      return WriteExecution.bind(context, bound, write);
    } else if (route instanceof Route.Split split) {
      return WriteExecution.bind(context, bound, split);
    } else if (route instanceof Route.GatheredInsert insert) {
      return GatheredInsert.bind(context, bound, insert, false);
    } else if (route instanceof Route.GatheredWrite write) {
      return GatheredWrite.bind(context, bound, write, false);
    } else if (route instanceof Route.MovedRows moved) {
      return MovedRows.bind(context, bound, moved, false);
    } else if (route instanceof Route.Steps steps) {
      return StepsExecution.bind(context, this::bind, bound, steps);
    } else if (route instanceof Route.GatheredTable table) {
      return GatheredTable.bind(context, bound, table);
    } else if (route instanceof Route.CopyIn copy) {
      return CopyInExecution.bind(context, bound, copy, false);
    }
    if (route instanceof Route.Keeping keeping
        && keeping.inner() instanceof Route.GatheredInsert insert) {
      return GatheredInsert.bind(context, bound, insert, true);
    } else if (route instanceof Route.Keeping keeping
        && keeping.inner() instanceof Route.CopyIn copy) {
      return CopyInExecution.bind(context, bound, copy, true);
    } else if (route instanceof Route.Keeping keeping
        && keeping.inner() instanceof Route.GatheredWrite write) {
      return GatheredWrite.bind(context, bound, write, true);
    } else if (route instanceof Route.Keeping keeping
        && keeping.inner() instanceof Route.MovedRows moved) {
      return MovedRows.bind(context, bound, moved, true);
    } else if (route instanceof Route.Keeping keeping) {
      return KeepingExecution.bind(context, bound, keeping.inner());
    } else if (route instanceof Route.Lookup lookup) {
      return LookupExecution.bind(context, bound, lookup, this::bind);
    }
    throw AbelianException.internal("no execution for " + route, null);
  }
}
