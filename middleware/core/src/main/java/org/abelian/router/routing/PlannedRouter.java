package org.abelian.router.routing;

import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.error.AbelianException;

/** A plan with what it was made from. */
record PlannedRouter(Plan plan, StatementFacts facts, Catalog catalog) implements StatementRouter {
  @Override
  public Route route(BoundValues values) {
    if (values.count() < facts.parameters().size()) {
      return new Route.OneNode(catalog.first().id()); // The node says what is missing.
    }
    try {
      return plan.route(values);
    } catch (AbelianException refusal) {
      return new Route.Refused(refusal);
    }
  }
}
