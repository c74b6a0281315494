package org.abelian.router.routing;

import org.abelian.router.error.AbelianException;

/** What is left to do with the values of a statement. */
@FunctionalInterface
interface Plan {
  /**
   * Where the statement goes.
   *
   * @throws AbelianException when it cannot be routed with these values
   */
  Route route(BoundValues values);

  /** The plan that never looks at the values. */
  static Plan always(Route route) {
    return values -> route;
  }
}
