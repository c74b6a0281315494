package org.abelian.router.frontend;

import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.abelian.router.analysis.SettingFacts;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.Route;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.transaction.independent.IndependentTransaction;

/**
 * Answers {@code SHOW abelian.commit_statistics} and {@code SHOW abelian.routing_rules}: the node
 * that is asked is told before what the router knows, for this one transaction.
 */
public final class RouterSettings {
  private static final String STATISTICS = "abelian.commit_statistics";
  private static final String RULES = "abelian.routing_rules";

  private final EngineContext context;
  private final Supplier<String> statistics;
  private final LongFunction<String> rules;

  /**
   * @param statistics the router's counts, as JSON
   * @param rules what it has learned under that version of the catalogue, as JSON
   */
  public RouterSettings(
      EngineContext context, Supplier<String> statistics, LongFunction<String> rules) {
    this.context = context;
    this.statistics = statistics;
    this.rules = rules;
  }

  /** The node that has been told; null when the statement is another one. */
  public Route route(RoutedStatement routed) {
    SettingFacts shown = routed.facts().command().setting();
    String name = routed.utility() == UtilityKind.SHOW && shown != null ? shown.name() : null;
    String setting =
        STATISTICS.equalsIgnoreCase(name)
            ? STATISTICS
            : RULES.equalsIgnoreCase(name) ? RULES : null;
    if (setting == null) {
      return null;
    }
    Backend backend = context.backends().home(routed.router().catalog());
    context.transactions().enter(backend, routed);
    String json =
        setting.equals(RULES) ? rules.apply(routed.router().catalog().version()) : statistics.get();
    String tell =
        "SELECT pg_catalog.set_config('"
            + setting
            + "', "
            + IndependentTransaction.quote(json)
            + ", true)";
    context.transactions().inject(backend, NodeStatement.of(tell), false);
    return new Route.OneNode(backend.nodeId);
  }
}
