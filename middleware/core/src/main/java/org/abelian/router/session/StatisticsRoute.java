package org.abelian.router.session;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.Route;
import org.abelian.router.transaction.independent.IndependentTransaction;

/**
 * Answers {@code SHOW abelian.commit_statistics} and {@code SHOW abelian.routing_rules}: the node
 * that is asked is told before what the router knows, for this one transaction.
 */
final class StatisticsRoute {
  private static final Pattern QUESTION =
      Pattern.compile(
          "\\s*show\\s+(abelian\\.(?:commit_statistics|routing_rules))[\\s;]*",
          Pattern.CASE_INSENSITIVE);

  private final Session session;

  StatisticsRoute(Session session) {
    this.session = session;
  }

  /** The node that has been told; null when the statement is another one. */
  Route route(String sql, RoutedStatement routed) {
    if (routed.utility() != UtilityKind.SHOW) {
      return null;
    }
    Matcher question = QUESTION.matcher(sql);
    if (!question.matches()) {
      return null;
    }
    String setting = question.group(1).toLowerCase(Locale.ROOT);
    Backend backend = session.runner().home();
    session.control().enter(backend, routed);
    String json = IndependentTransaction.quote(json(setting, routed));
    session
        .control()
        .inject(
            backend,
            NodeStatement.of("SELECT pg_catalog.set_config('" + setting + "', " + json + ", true)"),
            false);
    return new Route.OneNode(backend.nodeId);
  }

  private String json(String setting, RoutedStatement routed) {
    Router router = session.router();
    return setting.endsWith("_rules")
        ? router.rules().json(routed.router().catalog().version())
        : router.statistics().json();
  }
}
