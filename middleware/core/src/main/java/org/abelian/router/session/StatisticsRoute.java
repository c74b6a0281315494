package org.abelian.router.session;

import java.util.regex.Pattern;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.Route;
import org.abelian.router.transaction.independent.IndependentTransaction;

/**
 * Answers {@code SHOW abelian.commit_statistics}: the node that is asked is told the router's
 * counts before, for this one transaction.
 */
final class StatisticsRoute {
  private static final String SETTING = "abelian.commit_statistics";
  private static final Pattern QUESTION =
      Pattern.compile("\\s*show\\s+abelian\\.commit_statistics[\\s;]*", Pattern.CASE_INSENSITIVE);

  private final Session session;

  StatisticsRoute(Session session) {
    this.session = session;
  }

  /** The node that has been told; null when the statement is another one. */
  Route route(String sql, RoutedStatement routed) {
    if (routed.utility() != UtilityKind.SHOW || !QUESTION.matcher(sql).matches()) {
      return null;
    }
    Link link = session.runner().home();
    session.control().enter(link, routed);
    String json = IndependentTransaction.quote(session.router().statistics().json());
    session
        .control()
        .inject(
            link,
            NodeStatement.of("SELECT pg_catalog.set_config('" + SETTING + "', " + json + ", true)"),
            false);
    return new Route.OneNode(link.nodeId);
  }
}
