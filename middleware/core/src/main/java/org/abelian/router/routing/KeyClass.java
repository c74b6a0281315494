package org.abelian.router.routing;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.abelian.router.catalog.Colocation;

/**
 * Distributed relations of a statement about whose keys the same is known.
 *
 * @param all the nodes of the colocation group
 * @param relations their ids
 * @param columns what is known of each distribution column, in their order
 */
record KeyClass(
    Colocation colocation, NodeSet all, Set<Integer> relations, List<ColumnKeys> columns) {

  static KeyClass of(Colocation colocation, Set<Integer> relations, List<ColumnKeys> columns) {
    return new KeyClass(
        colocation, NodeSet.of(colocation.distinctNodes()), relations, List.copyOf(columns));
  }

  /** True when no column equals anything, and no list contains it. */
  boolean isUnbound() {
    return columns.stream().allMatch(ColumnKeys::isUnbound);
  }

  /** The nodes that may hold rows that matter; none when no row can match wherever it lies. */
  NodeSet nodes(BoundValues bound) {
    return columns.size() == 1 && !columns.get(0).isRange()
        ? nodes(columns.get(0), bound)
        : KeyCombinations.of(columns, bound).nodes(colocation, all);
  }

  private NodeSet nodes(ColumnKeys key, BoundValues bound) {
    int chosen = -1;
    List<KeySource> values = key.values();
    for (int at = 0; at < values.size(); at++) { // Without an iterator: every statement is here.
      int read = values.get(at).read(bound, colocation.function());
      if (read == KeyReader.UNREADABLE) {
        continue;
      }
      if (read < 0) {
        return NodeSet.NONE;
      }
      chosen = read;
    }
    if (chosen >= 0) {
      // Were the values different, no row could equal all of them: any one of them may choose.
      return NodeSet.of(colocation.nodeOf(chosen));
    }
    List<KeyList> in = key.in();
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
    int[] partitions = list.read(bound, colocation.function());
    return NodeSet.of(Arrays.stream(partitions).map(colocation::nodeOf).toArray());
  }
}
