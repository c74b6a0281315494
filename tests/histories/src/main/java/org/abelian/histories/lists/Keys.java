package org.abelian.histories.lists;

import java.util.List;

/**
 * The keys of a history.
 *
 * @param byNode the keys on each node
 */
public record Keys(List<List<Integer>> byNode) {
  /** Copies the lists. */
  public Keys {
    byNode = byNode.stream().map(List::copyOf).toList();
  }

  int nodes() {
    return byNode.size();
  }

  List<Integer> ofNode(int node) {
    return byNode.get(node);
  }

  /** All of them, ascending. */
  public List<Integer> all() {
    return byNode.stream().flatMap(List::stream).sorted().toList();
  }
}
