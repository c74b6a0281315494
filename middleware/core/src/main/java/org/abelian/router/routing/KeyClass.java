package org.abelian.router.routing;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.abelian.router.catalog.Colocation;

/**
 * Hash-placed relations of a statement about whose keys the same is known.
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
    List<KeyList> in) {

  static KeyClass of(
      Colocation colocation, Set<Integer> relations, List<KeySource> values, List<KeyList> in) {
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
    for (KeyList list : in.subList(1, in.size())) {
      nodes = nodes.intersect(members(list, bound));
    }
    return nodes;
  }

  private NodeSet members(KeyList list, BoundValues bound) {
    return NodeSet.of(Arrays.stream(list.partitions(bound)).map(colocation::nodeOf).toArray());
  }
}
