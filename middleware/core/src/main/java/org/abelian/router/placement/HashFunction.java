package org.abelian.router.placement;

import java.util.BitSet;
import java.util.Objects;
import java.util.stream.Stream;

/** By the hash of all columns together. */
public record HashFunction(int count) implements PartitionFunction {
  @Override
  public int partition(KeyValue... key) {
    long hash = key[0].hash();
    for (int column = 1; column < key.length; column++) {
      hash = PartitionHash.combine(hash, key[column].hash());
    }
    return PartitionHash.partition(hash, count);
  }

  @Override
  public BitSet possible(KeyValue... key) {
    BitSet possible = new BitSet(count);
    if (Stream.of(key).allMatch(Objects::nonNull)) {
      possible.set(partition(key));
    } else {
      possible.set(0, count);
    }
    return possible;
  }

  @Override
  public int number(long key) {
    return PartitionHash.partition(key, count);
  }

  @Override
  public int bytes(byte[] buffer, int offset, int length) {
    return PartitionHash.partition(PartitionHash.ofBytes(buffer, offset, length), count);
  }
}
