package org.abelian.router.placement;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The placement function of a colocation group: from the canonical values of the distribution
 * columns to a partition. As a sink it takes the value of a function of one column, and gives the
 * partition or {@link #UNCOVERED}.
 */
public sealed interface PartitionFunction extends KeySink
    permits HashFunction, RuleFunction, LookupFunction {
  /** No rule says where such a row lies, so there is none. */
  int UNCOVERED = -3;

  /**
   * The partition of the rows that have NULL in the only distribution column of their table,
   * whatever the function. A comparison with NULL finds no row, so only statements that store rows
   * are sent there for it.
   */
  int OF_NULL = 0;

  /** The number of partitions, at least 1. */
  int count();

  /**
   * The partition, from 0 to count - 1, or {@link #UNCOVERED}.
   *
   * @param key the values of all columns, in their order
   */
  int partition(KeyValue... key);

  /**
   * The partitions that rows may lie in of which only some columns are known.
   *
   * @param key the values of the columns, null where one is not known
   */
  BitSet possible(KeyValue... key);

  /**
   * The partitions that rows may lie in whose columns have values within these intervals, of which
   * none is empty.
   */
  default BitSet within(KeyInterval... key) {
    return possible(known(key));
  }

  /** The values of the columns that can have one only, null for others. */
  static KeyValue[] known(KeyInterval... key) {
    return Arrays.stream(key).map(KeyInterval::single).toArray(KeyValue[]::new);
  }

  @Override
  default int number(long key) {
    return partition(new KeyValue.Number(key));
  }

  @Override
  default int bytes(byte[] buffer, int offset, int length) {
    return partition(new KeyValue.Bytes(Arrays.copyOfRange(buffer, offset, offset + length)));
  }
}
