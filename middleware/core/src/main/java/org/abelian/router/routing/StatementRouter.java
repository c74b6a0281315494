package org.abelian.router.routing;

import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;

/**
 * A statement routed as far as it can be without its values. Made once by {@link Routing#compile},
 * kept beside the facts, and used for each execution; immutable and cheap.
 */
public interface StatementRouter {
  /**
   * Where the statement goes with these values. Never throws: what cannot be routed is {@link
   * Route.Refused}.
   */
  Route route(BoundValues values);

  /** What the node said about the statement. */
  StatementFacts facts();

  /** The catalogue that the routes refer to. */
  Catalog catalog();
}
