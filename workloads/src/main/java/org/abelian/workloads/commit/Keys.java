package org.abelian.workloads.commit;

import java.util.List;
import java.util.SplittableRandom;

/** The keys of each node's rows. */
final class Keys {
  private final List<int[]> byNode;

  Keys(List<int[]> byNode) {
    this.byNode = List.copyOf(byNode);
  }

  int nodes() {
    return byNode.size();
  }

  /** A key of a node: any, or always the first. */
  int draw(int node, boolean hot, SplittableRandom random) {
    int[] keys = byNode.get(node);
    return keys[hot ? 0 : random.nextInt(keys.length)];
  }
}
