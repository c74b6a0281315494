package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.abelian.router.routing.Route;
import org.junit.jupiter.api.Test;

class ExecutorTest {
  /** What the session itself runs, or passes to one node, or refuses. */
  private static final Set<Class<?>> OF_THE_SESSION =
      Set.of(
          Route.OneNode.class,
          Route.AnyNode.class,
          Route.Procedure.class,
          Route.Cursor.class,
          Route.CopyOut.class,
          Route.Refused.class);

  @Test
  void eachKindOfRouteHasOneExecution() {
    Set<Class<?>> bound = new HashSet<>(Executor.kinds());
    bound.add(Route.Keeping.class);
    bound.addAll(OF_THE_SESSION);
    Set<Class<?>> all = new HashSet<>(List.of(Route.class.getPermittedSubclasses()));
    assertEquals(all, bound);
    assertEquals(all.size(), Executor.kinds().size() + 1 + OF_THE_SESSION.size());
  }
}
