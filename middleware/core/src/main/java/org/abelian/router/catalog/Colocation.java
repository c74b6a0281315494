package org.abelian.router.catalog;

import java.util.Arrays;
import org.abelian.router.placement.PartitionFunction;

/**
 * A group of tables that share one placement function: equal keys lie on the same node.
 *
 * @param id the catalogue's number
 * @param nodes the node of each partition; its length is the partition count
 * @param function from keys to partitions
 */
public record Colocation(int id, int[] nodes, PartitionFunction function) {
  /** Copies the array. */
  public Colocation {
    if (nodes.length == 0 || nodes.length != function.count()) {
      throw new IllegalArgumentException(
          nodes.length + " of " + function.count() + " partitions have a node");
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
    return other instanceof Colocation that
        && id == that.id
        && Arrays.equals(nodes, that.nodes)
        && function.equals(that.function);
  }

  @Override
  public int hashCode() {
    return 31 * id + Arrays.hashCode(nodes);
  }
}
