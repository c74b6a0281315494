package org.abelian.router.routing;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.abelian.router.analysis.KeyRange;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.placement.KeyExpression;
import org.abelian.router.placement.KeyInterval;
import org.abelian.router.placement.KeyValue;

/**
 * Between which values a distribution column lies.
 *
 * @param bounds each of them holds
 * @param expression what of the column's value counts; null for all of it
 */
record KeyBounds(List<KeyBound> bounds, KeyExpression expression) {
  /** The bounds that the router can know. */
  static KeyBounds of(List<KeyRange.Bound> bounds, KeyColumn column, StatementFacts facts) {
    List<KeyBound> known =
        bounds.stream()
            .map(bound -> KeyBound.of(column.key(), bound.comparison(), bound.value(), facts))
            .filter(Objects::nonNull)
            .toList();
    return new KeyBounds(known, column.expression());
  }

  boolean isEmpty() {
    return bounds.isEmpty();
  }

  /** Between what the column's value lies, as far as it counts. */
  KeyInterval counted(BoundValues values) {
    return interval(values).counted(expression);
  }

  /** All values that the column may have, as far as they count; null when they may be more. */
  Set<KeyValue> values(BoundValues bound, int max) {
    if (isEmpty()) {
      return null;
    }
    KeyInterval interval = interval(bound);
    List<KeyValue> few = interval.values(max);
    if (few == null) {
      few = interval.counted(expression).values(max);
      return few == null ? null : Set.copyOf(few);
    }
    Set<KeyValue> counted = new LinkedHashSet<>();
    for (KeyValue value : few) {
      counted.add(expression == null ? value : value.counted(expression));
    }
    return counted;
  }

  private KeyInterval interval(BoundValues values) {
    KeyInterval interval = KeyInterval.ALL;
    for (KeyBound bound : bounds) {
      interval = bound.narrow(interval, values);
    }
    return interval;
  }
}
