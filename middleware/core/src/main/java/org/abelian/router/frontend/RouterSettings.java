package org.abelian.router.frontend;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
 * Answers SHOW of what the router knows itself, such as {@code abelian.commit_statistics}, and
 * queries of the views of it: the node that is asked is told before, for this one transaction.
 */
public final class RouterSettings {
  private final EngineContext context;

  /** By the name of the setting: what it is under that version of the catalogue. */
  private final Map<String, LongFunction<String>> settings;

  /**
   * @param commits which commits the router has made, as JSON
   * @param figures what it has done and does now, as JSON
   * @param rules what it has learned under that version of the catalogue, as JSON
   */
  public RouterSettings(
      EngineContext context,
      Supplier<String> commits,
      Supplier<String> figures,
      LongFunction<String> rules) {
    this.context = context;
    settings =
        Map.of(
            "abelian.commit_statistics", version -> commits.get(),
            "abelian.router_statistics", version -> figures.get(),
            "abelian.routing_rules", rules);
  }

  /** The node that has been told; null when the statement is another one. */
  public Route route(RoutedStatement routed) {
    SettingFacts shown = routed.facts().command().setting();
    String name = routed.utility() == UtilityKind.SHOW && shown != null ? shown.name() : null;
    String setting = name == null ? null : name.toLowerCase(Locale.ROOT);
    if (setting == null || !settings.containsKey(setting)) {
      return null;
    }
    return told(context.backends().home(routed.router().catalog()), routed, List.of(setting));
  }

  /**
   * For a statement that reads the views of all of it: the first node, as for other queries of
   * catalogues, told as above.
   */
  Route routeOfViews(RoutedStatement routed) {
    Backend first = context.backends().backend(routed.router().catalog().first());
    return told(first, routed, settings.keySet());
  }

  private Route told(Backend backend, RoutedStatement routed, Collection<String> names) {
    context.transactions().enterOnly(backend, routed, true);
    for (String name : names) {
      String json = settings.get(name).apply(routed.router().catalog().version());
      String tell =
          "SELECT pg_catalog.set_config('"
              + name
              + "', "
              + IndependentTransaction.quote(json)
              + ", true)";
      context.transactions().injectOnce(backend, NodeStatement.of(tell));
    }
    return new Route.OneNode(backend.nodeId);
  }
}
