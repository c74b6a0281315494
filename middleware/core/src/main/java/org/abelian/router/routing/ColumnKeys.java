package org.abelian.router.routing;

import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.abelian.router.placement.KeyCollector;
import org.abelian.router.placement.KeyInterval;
import org.abelian.router.placement.KeyValue;

/**
 * What a statement says about one distribution column.
 *
 * @param values each of them equals the column
 * @param in each of these lists contains the column's value
 * @param bounds it is between them; looked at only where there is neither value nor list
 */
record ColumnKeys(List<KeySource> values, List<KeyList> in, KeyBounds bounds) {
  /** Beyond these, the values between two bounds are not looked at one by one. */
  private static final int COUNTED_MAX = 64;

  /** Copies the lists. */
  ColumnKeys {
    values = List.copyOf(values);
    in = List.copyOf(in);
  }

  /** True when the column equals nothing, and no list contains it. */
  boolean isUnbound() {
    return values.isEmpty() && in.isEmpty();
  }

  /** True when bounds are all that is known. */
  boolean isRange() {
    return isUnbound() && !bounds.isEmpty();
  }

  /**
   * The values that the column may have, as far as they count: none when no row can match, null
   * when they are not known one by one.
   */
  Set<KeyValue> possible(BoundValues bound) {
    KeyCollector collector = new KeyCollector();
    for (KeySource value : values) {
      int read = value.read(bound, collector);
      if (read < 0 && read != KeyReader.UNREADABLE) {
        return Set.of();
      }
    }
    if (collector.value() != null) {
      return Set.of(collector.value()); // As for one column: any one of them may choose.
    }
    if (in.isEmpty()) {
      return bounds.values(bound, COUNTED_MAX);
    }
    Iterator<KeyList> lists = in.iterator();
    Set<KeyValue> possible = lists.next().values(bound);
    lists.forEachRemaining(list -> possible.retainAll(list.values(bound)));
    return possible;
  }

  /** Between what the column's value lies, as far as it counts. */
  KeyInterval interval(BoundValues bound) {
    return isRange() ? bounds.counted(bound) : KeyInterval.ALL;
  }
}
