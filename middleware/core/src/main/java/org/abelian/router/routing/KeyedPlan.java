package org.abelian.router.routing;

import java.util.List;
import java.util.function.Function;
import org.abelian.router.error.AbelianException;

/**
 * The plan of a statement over hash-placed tables: one class of keys may lead to several nodes; of
 * several classes, each must lead to one and the same node.
 */
final class KeyedPlan implements Plan {
  private final List<KeyClass> classes;
  private final Function<NodeSet, Route> several;
  private final AbelianException joinRefusal;

  /**
   * @param several the route to more than one node; may throw a refusal
   * @param joinRefusal what to say when the classes lead to different nodes
   */
  KeyedPlan(
      List<KeyClass> classes, Function<NodeSet, Route> several, AbelianException joinRefusal) {
    this.classes = classes;
    this.several = several;
    this.joinRefusal = joinRefusal;
  }

  @Override
  public Route route(BoundValues values) {
    if (classes.size() > 1) {
      return new Route.OneNode(commonNode(classes, values, joinRefusal));
    }
    KeyClass only = classes.get(0);
    NodeSet nodes = only.nodes(values);
    if (nodes.isEmpty()) {
      return new Route.OneNode(only.all().first()); // No row matters: any node says so.
    }
    return nodes.isSingle() ? new Route.OneNode(nodes.first()) : several.apply(nodes);
  }

  /**
   * The one node that all classes lead to.
   *
   * @throws AbelianException the refusal, when there is none
   */
  static int commonNode(List<KeyClass> classes, BoundValues values, AbelianException refusal) {
    NodeSet common = NodeSet.NONE;
    for (KeyClass keys : classes) {
      NodeSet nodes = keys.nodes(values);
      if (nodes.isEmpty()) {
        continue; // Nothing of that class matters, wherever the others are.
      }
      if (!nodes.isSingle() || !common.isEmpty() && common.first() != nodes.first()) {
        throw refusal;
      }
      common = nodes;
    }
    return common.isEmpty() ? classes.get(0).all().first() : common.first();
  }
}
