package org.abelian.router.routing;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.error.AbelianException;
import org.abelian.router.placement.Condition.Comparison;
import org.abelian.router.placement.KeyCollector;
import org.abelian.router.placement.KeyInterval;
import org.abelian.router.placement.KeyKind;
import org.abelian.router.placement.KeyValue;

/**
 * A value that the column is before or behind. What the router cannot read for certain as the node
 * does says nothing, and is the node's to complain about.
 *
 * @param constant null when it is a parameter
 * @param parameter from 1
 * @param oid the value's type
 */
record KeyBound(KeyKind kind, Comparison comparison, BoundValues constant, int parameter, int oid) {
  private static final BigDecimal MIN = BigDecimal.valueOf(Long.MIN_VALUE);
  private static final BigDecimal MAX = BigDecimal.valueOf(Long.MAX_VALUE);

  /** The bound of the column; null when only a node can compute the value. */
  static KeyBound of(KeyKind kind, Comparison comparison, Value value, StatementFacts facts) {
    if (value instanceof Value.Parameter parameter) {
      int number = parameter.number();
      return new KeyBound(kind, comparison, null, number, KeySource.typeOf(parameter, facts));
    }
    if (value instanceof Value.Constant constant) {
      int type = constant.type() == PgType.UNSPECIFIED ? PgType.UNKNOWN : constant.type();
      return new KeyBound(kind, comparison, TextValues.of(constant.text()), 1, type);
    }
    return value instanceof Value.Null
        ? new KeyBound(kind, comparison, TextValues.of((String) null), 1, PgType.UNKNOWN)
        : null;
  }

  /** Those of the values for which it holds; none when its own is NULL. */
  KeyInterval narrow(KeyInterval interval, BoundValues bound) {
    BoundValues values = constant == null ? bound : constant;
    if (parameter > values.count()) {
      return interval;
    }
    if (values.isNull(parameter)) {
      return KeyInterval.NONE;
    }
    try {
      return kind == KeyKind.INTEGER
          ? narrow(interval, ExactNumber.read(values, parameter, oid))
          : narrowBySame(interval, values);
    } catch (AbelianException | IllegalArgumentException unreadable) {
      return interval;
    }
  }

  private KeyInterval narrow(KeyInterval interval, BigDecimal number) {
    if (number == null) {
      return interval;
    }
    boolean above = comparison == Comparison.GREATER || comparison == Comparison.GREATER_OR_EQUAL;
    if (number.compareTo(MAX) > 0) {
      return above ? KeyInterval.NONE : interval;
    }
    if (number.compareTo(MIN) < 0) {
      return above ? interval : KeyInterval.NONE;
    }
    // No integer is between the number and the next one above, or below.
    BigDecimal floor = number.setScale(0, RoundingMode.FLOOR);
    if (floor.compareTo(number) == 0) {
      return interval.and(comparison, new KeyValue.Number(floor.longValueExact()));
    }
    Comparison next = above ? Comparison.GREATER : Comparison.LESS_OR_EQUAL;
    return interval.and(next, new KeyValue.Number(floor.longValue()));
  }

  private KeyInterval narrowBySame(KeyInterval interval, BoundValues values) {
    boolean same =
        switch (kind) {
          case TEXT -> oid == PgType.TEXT || oid == PgType.VARCHAR || oid == PgType.UNKNOWN;
          case UUID -> oid == PgType.UUID || oid == PgType.UNKNOWN;
          case BOOLEAN -> oid == PgType.BOOL || oid == PgType.UNKNOWN;
          case DATE -> oid == PgType.DATE || oid == PgType.UNKNOWN;
          default -> false;
        };
    if (!same) {
      return interval;
    }
    KeyCollector collector = new KeyCollector();
    int read = new KeyReader(new KeyColumn("", kind, null)).read(values, parameter, oid, collector);
    return read < 0 ? interval : interval.and(comparison, collector.value());
  }
}
