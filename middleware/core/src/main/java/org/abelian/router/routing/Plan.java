package org.abelian.router.routing;

import java.util.function.Supplier;
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

  /** The plan that is made; one that always refuses, if none can be. */
  static Plan of(Supplier<Plan> making) {
    try {
      return making.get();
    } catch (AbelianException refusal) {
      return values -> {
        throw refusal;
      };
    }
  }

  /** The plan that never looks at the values. */
  static Plan always(Route route) {
    return values -> route;
  }
}
