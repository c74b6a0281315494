package org.abelian.advisor.placement;

import java.nio.charset.StandardCharsets;
import org.abelian.advisor.trace.KeyType;
import org.abelian.router.error.AbelianException;
import org.abelian.router.placement.HashFunction;
import org.abelian.router.placement.KeyText;
import org.abelian.router.placement.KeyValue;
import org.abelian.router.placement.PartitionHash;

/**
 * The node on which a key lies by hash, as the router computes it: 32 partitions, in contiguous
 * ranges over the nodes.
 */
public final class KeyHash {
  /** As create_distributed_table() makes them unless it is told otherwise. */
  private static final int PARTITIONS = 32;

  private KeyHash() {}

  /** The node, from 0, of rows with these values in their distribution columns. */
  public static int node(int nodes, KeyValue... key) {
    return (int) ((long) partition(nodes, key) * nodes / partitions(nodes));
  }

  /** The partition, from 0, of rows with these values in their distribution columns. */
  static int partition(int nodes, KeyValue... key) {
    return new HashFunction(partitions(nodes)).partition(key);
  }

  private static int partitions(int nodes) {
    return Math.max(PARTITIONS, nodes);
  }

  /**
   * A value of a column. What the column's type does not admit, or rows cannot be placed by, is
   * taken as the text that it is: it is somewhere, too.
   *
   * @param type as format_type() gives it
   */
  public static KeyValue value(String type, String text) {
    KeyType known = KeyType.of(type);
    if (known != null) {
      try {
        return KeyText.parse(known.kind(), text);
      } catch (AbelianException noneOfThatType) {
        // As its text.
      }
    }
    return new KeyValue.Bytes(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * A partition that lies on a node, for a key that is placed by hand: one of all that the node
   * has, so that they are equally full.
   *
   * @param node from 0
   */
  public static int partition(String key, int node, int nodes) {
    int partitions = partitions(nodes);
    int first = (node * partitions + nodes - 1) / nodes;
    int next = ((node + 1) * partitions + nodes - 1) / nodes;
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    return first
        + PartitionHash.partition(PartitionHash.ofBytes(bytes, 0, bytes.length), next - first);
  }
}
