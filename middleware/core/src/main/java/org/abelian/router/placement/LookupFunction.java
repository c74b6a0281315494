package org.abelian.router.placement;

import java.util.BitSet;
import java.util.Map;

/** By a table from the values of one column to partitions. */
public record LookupFunction(int count, Map<KeyValue, Integer> entries, Otherwise otherwise)
    implements PartitionFunction {
  /** Copies the map. */
  public LookupFunction {
    entries = Map.copyOf(entries);
  }

  @Override
  public int partition(KeyValue... key) {
    Integer entry = entries.get(key[0]);
    return entry != null ? entry : otherwise.partition(count, key);
  }

  @Override
  public BitSet possible(KeyValue... key) {
    BitSet possible = new BitSet(count);
    Integer entry = key[0] == null ? null : entries.get(key[0]);
    if (entry != null) {
      possible.set(entry);
      return possible;
    }
    if (key[0] == null) {
      entries.values().forEach(possible::set);
    }
    otherwise.addPossible(count, possible, key);
    return possible;
  }

  @Override
  public BitSet within(KeyInterval... key) {
    KeyValue[] known = PartitionFunction.known(key);
    if (known[0] != null) {
      return possible(known);
    }
    BitSet possible = new BitSet(count);
    entries.forEach(
        (value, partition) -> {
          if (key[0].contains(value)) {
            possible.set(partition);
          }
        });
    otherwise.addPossible(count, possible, known);
    return possible;
  }
}
