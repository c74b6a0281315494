package org.abelian.workloads.multikey;

/**
 * Size and mix.
 *
 * @param groups of keys; a transaction is about all keys of one group, which lie on all nodes
 * @param keys of a group: gets or puts of a transaction
 * @param getPercent share of multi-gets, the others are multi-puts
 */
public record MultiKeyOptions(int groups, int keys, int getPercent) {
  private static final int MOST_KEYS = 500;

  public MultiKeyOptions {
    if (keys < 1 || keys > MOST_KEYS) {
      throw new IllegalArgumentException("a transaction has 1 to " + MOST_KEYS + " keys");
    }
  }
}
