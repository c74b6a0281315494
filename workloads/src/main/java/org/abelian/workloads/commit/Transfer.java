package org.abelian.workloads.commit;

import java.util.SplittableRandom;

/**
 * Two additions.
 *
 * @param firstNode the index of the node that has the first key
 * @param hot whether others write the same rows all the time
 * @param secondNode the same index for a transaction on one node
 */
record Transfer(int firstNode, int firstKey, int secondNode, int secondKey, boolean hot) {
  /** Draws one. */
  static Transfer draw(Load load, Keys keys, SplittableRandom random) {
    int first = random.nextInt(keys.nodes());
    boolean distributed = random.nextInt(100) < load.distributedPercent();
    int second =
        distributed ? (first + 1 + random.nextInt(keys.nodes() - 1)) % keys.nodes() : first;
    // In the same order everywhere, so that no two wait for each other in a circle.
    int low = Math.min(first, second);
    int high = Math.max(first, second);
    int one = keys.draw(low, load.hot(), random);
    int other = keys.draw(high, load.hot(), random);
    return low == high && one > other
        ? new Transfer(low, other, high, one, load.hot())
        : new Transfer(low, one, high, other, load.hot());
  }

  boolean isDistributed() {
    return firstNode != secondNode;
  }
}
