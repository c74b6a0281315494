package org.abelian.router.frontend;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.transaction.OutcomeInquiry;

/**
 * Sends the question what became of a transaction to the node that knows: only the node that gave a
 * token can say.
 */
public final class OutcomeRoute {
  private static final String FUNCTION = "transaction_outcome";
  private static final Pattern QUESTION =
      Pattern.compile(
          "\\s*select\\s+abelian\\."
              + FUNCTION
              + "\\s*\\(\\s*(?:'([^']*)'|\\$(\\d+))(?:\\s*::\\s*text)?\\s*\\)[^;]*[\\s;]*",
          Pattern.CASE_INSENSITIVE);

  private final OutcomeInquiry outcomes;

  public OutcomeRoute(OutcomeInquiry outcomes) {
    this.outcomes = outcomes;
  }

  /** The node that knows; empty when the statement is another one, or nobody knows. */
  public OptionalInt node(String sql, BoundValues values) {
    Matcher question = QUESTION.matcher(sql);
    if (!question.matches()) {
      return OptionalInt.empty();
    }
    String token = question.group(1);
    if (token == null) {
      int parameter = Integer.parseInt(question.group(2));
      if (parameter < 1 || parameter > values.count() || values.isNull(parameter)) {
        return OptionalInt.empty();
      }
      token =
          new String(
              values.buffer(parameter),
              values.offset(parameter),
              values.length(parameter),
              values.charset());
    }
    return outcomes.whoKnows(token);
  }
}
