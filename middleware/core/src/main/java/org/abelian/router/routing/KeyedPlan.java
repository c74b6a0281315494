package org.abelian.router.routing;

import java.util.List;
import java.util.function.Function;

/** The plan of a statement over distributed tables: to all nodes that may hold rows that matter. */
final class KeyedPlan implements Plan {
  private final List<KeyClass> classes;
  private final NodeSet always;
  private final Function<NodeSet, Route> several;

  /**
   * @param always nodes that are needed whatever the keys
   * @param several the route to more than one node; may throw a refusal
   */
  KeyedPlan(List<KeyClass> classes, NodeSet always, Function<NodeSet, Route> several) {
    this.classes = classes;
    this.always = always;
    this.several = several;
  }

  @Override
  public Route route(BoundValues values) {
    NodeSet nodes = KeyClasses.nodes(classes, values).union(always);
    if (nodes.isSingle()) {
      return new Route.OneNode(
          nodes.first()); // Whatever the statement does, all it needs is there.
    }
    if (nodes.isEmpty()) {
      return new Route.OneNode(classes.get(0).all().first()); // No row matters: any node says so.
    }
    return several.apply(nodes);
  }
}
