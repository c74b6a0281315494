package org.abelian.router.routing;

import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.abelian.router.placement.KeyCollector;
import org.abelian.router.placement.KeyValue;

/**
 * What a statement says about one distribution column.
 *
 * @param values each of them equals the column
 * @param in each of these lists contains the column's value
 */
record ColumnKeys(List<KeySource> values, List<KeyList> in) {
  /** Nothing is known. */
  static final ColumnKeys UNBOUND = new ColumnKeys(List.of(), List.of());

  /** Copies the lists. */
  ColumnKeys {
    values = List.copyOf(values);
    in = List.copyOf(in);
  }

  /** True when nothing restricts the column. */
  boolean isUnbound() {
    return values.isEmpty() && in.isEmpty();
  }

  /**
   * The values that the column may have: none when no row can match, null when nothing restricts
   * it.
   */
  Set<KeyValue> possible(BoundValues bound) {
    KeyCollector collector = new KeyCollector();
    for (KeySource value : values) {
      if (value.read(bound, collector) < 0) {
        return Set.of();
      }
    }
    if (!values.isEmpty()) {
      return Set.of(collector.value()); // As for one column: any one of them may choose.
    }
    if (in.isEmpty()) {
      return null;
    }
    Iterator<KeyList> lists = in.iterator();
    Set<KeyValue> possible = lists.next().values(bound);
    lists.forEachRemaining(list -> possible.retainAll(list.values(bound)));
    return possible;
  }
}
