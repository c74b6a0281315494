package org.abelian.workloads.pair;

import java.util.SplittableRandom;

/**
 * Two rows.
 *
 * @param firstNode the index of the node that has the first key
 * @param secondNode the same index for rows of one node
 * @param hot whether others write the same rows all the time
 */
public record Pair(int firstNode, int firstKey, int secondNode, int secondKey, boolean hot) {
  /** Draws a pair of two nodes. */
  public static Pair draw(Keys keys, SplittableRandom random) {
    return draw(keys, 100, false, random);
  }

  /**
   * Draws one.
   *
   * @param distributedPercent so many of all pairs are of two nodes, the others of one
   * @param hot whether a node has always the same row
   */
  public static Pair draw(Keys keys, int distributedPercent, boolean hot, SplittableRandom random) {
    int first = random.nextInt(keys.nodes());
    boolean distributed = random.nextInt(100) < distributedPercent;
    int second =
        distributed ? (first + 1 + random.nextInt(keys.nodes() - 1)) % keys.nodes() : first;
    // In the same order everywhere, so that no two wait for each other in a circle.
    int low = Math.min(first, second);
    int high = Math.max(first, second);
    int one = keys.draw(low, hot, random);
    int other = keys.draw(high, hot, random);
    return low == high && one > other
        ? new Pair(low, other, high, one, hot)
        : new Pair(low, one, high, other, hot);
  }

  /** Whether the rows are of two nodes. */
  public boolean isDistributed() {
    return firstNode != secondNode;
  }
}
