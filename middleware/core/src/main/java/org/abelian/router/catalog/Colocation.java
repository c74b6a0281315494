package org.abelian.router.catalog;

import java.util.Arrays;

/**
 * A group of tables that share one placement function: equal keys lie on the same node.
 *
 * @param id the catalogue's number
 * @param nodes the node of each partition; its length is the partition count
 */
public record Colocation(int id, int[] nodes) {
  /** Copies the array. */
  public Colocation {
    if (nodes.length == 0) {
      throw new IllegalArgumentException("a colocation group has at least one partition");
    }
    nodes = nodes.clone();
  }

  /** The number of partitions, at least 1. */
  public int partitionCount() {
    return nodes.length;
  }

  /** The node that holds a partition. */
  public int nodeOf(int partition) {
    return nodes[partition];
  }

  /** The nodes that hold at least one partition, ascending. */
  public int[] distinctNodes() {
    return Arrays.stream(nodes).sorted().distinct().toArray();
  }

  @Override
  public int[] nodes() {
    return nodes.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Colocation that && id == that.id && Arrays.equals(nodes, that.nodes);
  }

  @Override
  public int hashCode() {
    return 31 * id + Arrays.hashCode(nodes);
  }
}
