package org.abelian.router.session;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

  private final Router router;

  OutcomeRoute(Router router) {
    this.router = router;
  }

  /** The node that knows; null when the statement is another one, or nobody knows. */
  Route route(String sql, BoundValues values) {
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
    OptionalInt node = router.outcomes().whoKnows(token);
    return node.isPresent() ? new Route.OneNode(node.getAsInt()) : null;
  }
}
