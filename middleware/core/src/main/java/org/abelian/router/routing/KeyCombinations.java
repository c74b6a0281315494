package org.abelian.router.routing;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import org.abelian.router.catalog.Colocation;
import org.abelian.router.placement.KeyInterval;
import org.abelian.router.placement.KeyValue;

/**
 * The keys that rows may have, each column having one of some values, or one within an interval.
 */
final class KeyCombinations {
  /** Beyond these, a column with many values counts as one of which nothing is known. */
  private static final long COMBINATIONS_MAX = 1_000;

  /** For each column its values; null when they are not known. */
  private final List<List<KeyValue>> columns;

  /** For each column what is known where its values are not. */
  private final List<KeyInterval> intervals;

  private KeyCombinations(List<List<KeyValue>> columns, List<KeyInterval> intervals) {
    this.columns = columns;
    this.intervals = intervals;
  }

  static KeyCombinations of(List<ColumnKeys> keys, BoundValues bound) {
    List<List<KeyValue>> columns = new ArrayList<>();
    for (ColumnKeys key : keys) {
      Set<KeyValue> possible = key.possible(bound);
      columns.add(possible == null ? null : List.copyOf(possible));
    }
    return new KeyCombinations(columns, keys.stream().map(key -> key.interval(bound)).toList());
  }

  /** The nodes on which rows with these keys may lie. */
  NodeSet nodes(Colocation colocation, NodeSet all) {
    if (columns.stream().anyMatch(values -> values != null && values.isEmpty())) {
      return NodeSet.NONE;
    }
    while (count() > COMBINATIONS_MAX) {
      forgetLongest();
    }
    if (columns.stream().allMatch(values -> values == null)
        && intervals.stream().allMatch(KeyInterval::isAll)) {
      return all;
    }
    BitSet partitions = new BitSet(colocation.partitionCount());
    add(0, new KeyInterval[columns.size()], colocation, partitions);
    return NodeSet.of(partitions.stream().map(colocation::nodeOf).toArray());
  }

  private long count() {
    long count = 1;
    for (List<KeyValue> values : columns) {
      count = Math.min(count * (values == null ? 1 : values.size()), Integer.MAX_VALUE);
    }
    return count;
  }

  private void forgetLongest() {
    int longest = 0;
    for (int at = 1; at < columns.size(); at++) {
      if (size(at) > size(longest)) {
        longest = at;
      }
    }
    columns.set(longest, null);
  }

  private int size(int column) {
    return columns.get(column) == null ? 0 : columns.get(column).size();
  }

  /** Adds what is possible with the values that are chosen for the columns before this one. */
  private void add(int column, KeyInterval[] chosen, Colocation colocation, BitSet partitions) {
    if (column == chosen.length) {
      partitions.or(colocation.function().within(chosen));
      return;
    }
    List<KeyValue> values = columns.get(column);
    if (values == null) {
      chosen[column] = intervals.get(column);
      add(column + 1, chosen, colocation, partitions);
      return;
    }
    for (KeyValue value : values) {
      chosen[column] = KeyInterval.at(value);
      add(column + 1, chosen, colocation, partitions);
    }
  }
}
