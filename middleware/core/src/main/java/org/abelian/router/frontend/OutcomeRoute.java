package org.abelian.router.frontend;

import java.util.List;
import java.util.OptionalInt;
import org.abelian.router.analysis.BodyFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.transaction.OutcomeInquiry;

/**
 * Sends the question what became of a transaction to the node that knows: only the node that gave a
 * token can say.
 */
public final class OutcomeRoute {
  private static final String FUNCTION = "abelian.transaction_outcome";

  private final OutcomeInquiry outcomes;

  public OutcomeRoute(OutcomeInquiry outcomes) {
    this.outcomes = outcomes;
  }

  /**
   * To the node that knows; to any when nobody does, which says so as well. Null when the statement
   * is another one.
   */
  public Route route(RoutedStatement routed, BoundValues values) {
    BodyFacts called = routed.facts().calls().body();
    if (called == null || !called.function().equals(FUNCTION) || called.arguments().isEmpty()) {
      return null;
    }
    String token = token(called.arguments().get(0), values);
    OptionalInt knows = token == null ? OptionalInt.empty() : outcomes.whoKnows(token);
    return knows.isPresent() ? new Route.OneNode(knows.getAsInt()) : new Route.AnyNode();
  }

  private static String token(List<Value> argument, BoundValues values) {
    Value only = argument.size() == 1 ? argument.get(0) : null;
    if (only instanceof Value.Constant constant) {
      return constant.text();
    }
    if (!(only instanceof Value.Parameter parameter)) {
      return null;
    }
    int number = parameter.number();
    boolean given = number >= 1 && number <= values.count() && !values.isNull(number);
    return given
        ? new String(
            values.buffer(number), values.offset(number), values.length(number), values.charset())
        : null;
  }
}
