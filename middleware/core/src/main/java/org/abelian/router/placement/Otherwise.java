package org.abelian.router.placement;

import java.util.BitSet;
import java.util.List;

/** Where rows lie that no clause and no entry names. */
public sealed interface Otherwise {
  /** The partition, or {@link PartitionFunction#UNCOVERED}. */
  int partition(int count, KeyValue... key);

  /** Adds the partitions that are possible; values that are not known are null. */
  void addPossible(int count, BitSet possible, KeyValue... key);

  /** All in one partition. */
  record Partition(int partition) implements Otherwise {
    @Override
    public int partition(int count, KeyValue... key) {
      return partition;
    }

    @Override
    public void addPossible(int count, BitSet possible, KeyValue... key) {
      possible.set(partition);
    }
  }

  /**
   * By the hash of some columns.
   *
   * @param columns their places among the distribution columns, from 0; at least one
   */
  record Hash(List<Integer> columns) implements Otherwise {
    /** Copies the list. */
    public Hash {
      columns = List.copyOf(columns);
    }

    @Override
    public int partition(int count, KeyValue... key) {
      return new HashFunction(count).partition(chosen(key));
    }

    @Override
    public void addPossible(int count, BitSet possible, KeyValue... key) {
      possible.or(new HashFunction(count).possible(chosen(key)));
    }

    private KeyValue[] chosen(KeyValue... key) {
      KeyValue[] chosen = new KeyValue[columns.size()];
      for (int at = 0; at < chosen.length; at++) {
        chosen[at] = key[columns.get(at)];
      }
      return chosen;
    }
  }

  /** Nowhere: there are no such rows. */
  record Refuse() implements Otherwise {
    @Override
    public int partition(int count, KeyValue... key) {
      return PartitionFunction.UNCOVERED;
    }

    @Override
    public void addPossible(int count, BitSet possible, KeyValue... key) {
      // None is.
    }
  }
}
