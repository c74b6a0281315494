package org.abelian.router.routing;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.abelian.router.catalog.Colocation;

/**
 * Hash-placed relations of a statement whose keys must be equal to each other, so that the rows
 * that meet lie on one node, and what is known about that key.
 *
 * @param all the nodes of the colocation group
 * @param relations their ids
 * @param values each of them equals the key
 * @param in each of these lists contains the key
 */
record KeyClass(
    Colocation colocation,
    NodeSet all,
    Set<Integer> relations,
    List<KeySource> values,
    List<List<KeySource>> in) {

  static KeyClass of(
      Colocation colocation,
      Set<Integer> relations,
      List<KeySource> values,
      List<List<KeySource>> in) {
    return new KeyClass(colocation, NodeSet.of(colocation.distinctNodes()), relations, values, in);
  }

  /** True when nothing restricts the key. */
  boolean isUnbound() {
    return values.isEmpty() && in.isEmpty();
  }

  /** The nodes that may hold rows that matter; none when no row can match wherever it lies. */
  NodeSet nodes(BoundValues bound) {
    int chosen = -1;
    for (KeySource value : values) {
      chosen = value.partition(bound);
      if (chosen < 0) {
        return NodeSet.NONE;
      }
    }
    if (chosen >= 0) {
      // Were the values different, no row could equal all of them: any one of them may choose.
      return NodeSet.of(colocation.nodeOf(chosen));
    }
    if (in.isEmpty()) {
      return all;
    }
    NodeSet nodes = members(in.get(0), bound);
    for (List<KeySource> list : in.subList(1, in.size())) {
      nodes = nodes.intersect(members(list, bound));
    }
    return nodes;
  }

  private NodeSet members(List<KeySource> list, BoundValues bound) {
    int[] nodes = new int[list.size()];
    int found = 0;
    for (KeySource member : list) {
      int partition = member.partition(bound);
      if (partition >= 0) {
        nodes[found++] = colocation.nodeOf(partition);
      }
    }
    return NodeSet.of(Arrays.copyOf(nodes, found));
  }
}
