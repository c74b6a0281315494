package org.abelian.advisor.placement;

import java.nio.charset.StandardCharsets;
import org.abelian.router.placement.PartitionHash;

/**
 * The node on which a key lies by hash, as the router computes it: 32 partitions, in contiguous
 * ranges over the nodes. Numbers are as there; dates and UUIDs are hashed by their texts, which
 * spreads them as well but otherwise.
 */
public final class KeyHash {
  /** As create_distributed_table() makes them unless it is told otherwise. */
  private static final int PARTITIONS = 32;

  private KeyHash() {}

  /** The node, from 0, of a key. */
  public static int node(String key, int nodes) {
    int partitions = Math.max(PARTITIONS, nodes);
    return (int) ((long) PartitionHash.partition(canonical(key), partitions) * nodes / partitions);
  }

  /**
   * A partition that lies on a node, for a key that is placed by hand: one of all that the node
   * has, so that they are equally full.
   *
   * @param node from 0
   */
  public static int partition(String key, int node, int nodes) {
    int partitions = Math.max(PARTITIONS, nodes);
    int first = (node * partitions + nodes - 1) / nodes;
    int next = ((node + 1) * partitions + nodes - 1) / nodes;
    return first + PartitionHash.partition(canonical(key), next - first);
  }

  private static long canonical(String key) {
    try {
      return Long.parseLong(key);
    } catch (NumberFormatException text) {
      byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
      return PartitionHash.ofBytes(bytes, 0, bytes.length);
    }
  }
}
