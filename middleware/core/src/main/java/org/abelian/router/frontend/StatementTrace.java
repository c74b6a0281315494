package org.abelian.router.frontend;

import java.util.List;
import org.abelian.router.analysis.SettingFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;
import org.abelian.router.trace.SessionTrace;
import org.abelian.router.trace.TracedStatement;

/** Where both protocols tell the trace what they run. */
public final class StatementTrace {
  /** By it clients name what they do. It changes nothing but the trace. */
  private static final String NAME = "abelian.transaction_name";

  private static final int[] NOWHERE = new int[0];

  private final EngineContext context;
  private final SessionTrace trace;

  /**
   * @param trace null while nothing is traced
   */
  public StatementTrace(EngineContext context, SessionTrace trace) {
    this.context = context;
    this.trace = trace;
  }

  /**
   * A statement is about to be bound.
   *
   * @param one the node that runs it; null when it is another case
   * @return null when it is not recorded
   */
  TracedStatement bound(
      SharedStatement statement,
      RoutedStatement routed,
      BindMessage bind,
      Route route,
      Backend one) {
    if (trace == null) {
      return null;
    }
    int[] nodes = one == null ? nodes(route, routed) : new int[] {one.nodeId};
    return trace.bound(statement.sql(), routed.facts(), routed.router().catalog(), nodes, bind);
  }

  /**
   * A statement was planned; it counts when its answer is complete.
   *
   * @param traced null when it is not recorded
   */
  void planned(TracedStatement traced, Progress progress) {
    if (traced != null && progress != Progress.QUIET) {
      context
          .replies()
          .add(
              RouterWork.then(
                  () ->
                      trace.executed(
                          traced,
                          context.transactions().state().isBlock(),
                          context.replies().output().lastTag(),
                          context.backends().settings().current().value(NAME))));
    }
  }

  /** A setting was made for the transaction that is open; nodes tell of it later. */
  void set(SettingFacts setting) {
    if (trace != null && setting.name().equals(NAME)) {
      trace.named(setting.toDefault() ? null : setting.value());
    }
  }

  private static int[] nodes(Route planned, RoutedStatement routed) {
    Route route = planned.plain();
    if (route instanceof Route.Scatter scatter) {
      return array(scatter.nodes());
    } else if (route instanceof Route.ScatterWrite write) {
      return array(write.nodes());
    } else if (route instanceof Route.GatheredWrite write) {
      return array(write.nodes());
    } else if (route instanceof Route.MovedRows moved) {
      return array(moved.nodes());
    } else if (route instanceof Route.Split split) {
      return split.parts().stream().mapToInt(Route.Part::node).toArray();
    } else if (route instanceof Route.CopyIn copy) {
      return array(copy.nodes());
    } else if (route instanceof Route.Procedure procedure) {
      return array(procedure.nodes());
    } else if (route instanceof Route.AllNodes) {
      return routed.router().catalog().nodes().stream().mapToInt(node -> node.id()).toArray();
    }
    boolean kept = planned instanceof Route.Keeping;
    return kept && route instanceof Route.OneNode one ? new int[] {one.node()} : NOWHERE;
  }

  private static int[] array(List<Integer> nodes) {
    return nodes.stream().mapToInt(Integer::intValue).toArray();
  }
}
