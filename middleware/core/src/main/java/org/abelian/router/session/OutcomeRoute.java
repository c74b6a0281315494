package org.abelian.router.session;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodePool;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;

/**
 * Sends the question what became of a transaction to the node that knows: only the node that gave a
 * token can say.
 */
final class OutcomeRoute {
  private static final String FUNCTION = "transaction_outcome";
  private static final Pattern QUESTION =
      Pattern.compile(
          "\\s*select\\s+abelian\\."
              + FUNCTION
              + "\\s*\\(\\s*(?:'([^']*)'|\\$(\\d+))(?:\\s*::\\s*text)?\\s*\\)[^;]*[\\s;]*",
          Pattern.CASE_INSENSITIVE);
  private static final NodeStatement ASK =
      NodeStatement.of("SELECT abelian.transaction_outcome($1::text)");
  private static final String UNKNOWN = "unknown";

  private final Router router;

  OutcomeRoute(Router router) {
    this.router = router;
  }

  /** The node that knows; null when the statement is another one, or nobody knows. */
  Route route(String sql, RoutedStatement routed, BoundValues values) {
    if (!sql.contains(FUNCTION)) {
      return null;
    }
    Matcher question = QUESTION.matcher(sql);
    if (!question.matches()) {
      return null;
    }
    String token = question.group(1);
    if (token == null) {
      int parameter = Integer.parseInt(question.group(2));
      if (parameter < 1 || parameter > values.count() || values.isNull(parameter)) {
        return null;
      }
      token =
          new String(
              values.buffer(parameter),
              values.offset(parameter),
              values.length(parameter),
              values.charset());
    }
    Catalog catalog = routed.router().catalog();
    for (Node node : catalog.nodes()) {
      if (knows(catalog, node, token)) {
        return new Route.OneNode(node.id());
      }
    }
    return null;
  }

  private boolean knows(Catalog catalog, Node node, String token) {
    NodePool pool = router.controlPool(catalog, node.id());
    try {
      NodeConnection connection = pool.borrow(this, null);
      try {
        QueryResult answer = NodeCall.prepared(connection, ASK, true, token);
        return answer.succeeded() && answer.value() != null && !answer.value().equals(UNKNOWN);
      } finally {
        pool.giveBackToAnyone(connection);
      }
    } catch (IOException | AbelianException unreachable) {
      return false;
    }
  }
}
