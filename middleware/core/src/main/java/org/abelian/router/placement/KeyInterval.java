package org.abelian.router.placement;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.placement.Condition.Comparison;

/**
 * What is known of the canonical value of one distribution column: that it is between two others.
 *
 * @param from null when nothing is below
 * @param to null when nothing is above
 */
public record KeyInterval(KeyValue from, boolean includesFrom, KeyValue to, boolean includesTo) {
  /** Nothing is known. */
  public static final KeyInterval ALL = new KeyInterval(null, true, null, true);

  /** No value is possible. */
  public static final KeyInterval NONE =
      new KeyInterval(new KeyValue.Number(1), true, new KeyValue.Number(0), true);

  /** Exactly that value; everything for null. */
  public static KeyInterval at(KeyValue value) {
    return value == null ? ALL : new KeyInterval(value, true, value, true);
  }

  /** Those of its values that stand so to the constant. */
  public KeyInterval and(Comparison comparison, KeyValue constant) {
    if (isEmpty()) {
      return this;
    }
    return switch (comparison) {
      case LESS -> below(constant, false);
      case LESS_OR_EQUAL -> below(constant, true);
      case GREATER -> above(constant, false);
      case GREATER_OR_EQUAL -> above(constant, true);
      case EQUAL -> below(constant, true).above(constant, true);
    };
  }

  private KeyInterval below(KeyValue value, boolean included) {
    if (value instanceof KeyValue.Number number && !included && number.value() > Long.MIN_VALUE) {
      return below(new KeyValue.Number(number.value() - 1), true);
    }
    int order = to == null ? 1 : to.compareTo(value);
    boolean tighter = order > 0 || (order == 0 && !included);
    return tighter ? new KeyInterval(from, includesFrom, value, included) : this;
  }

  private KeyInterval above(KeyValue value, boolean included) {
    if (value instanceof KeyValue.Number number && !included && number.value() < Long.MAX_VALUE) {
      return above(new KeyValue.Number(number.value() + 1), true);
    }
    int order = from == null ? -1 : from.compareTo(value);
    boolean tighter = order < 0 || (order == 0 && !included);
    return tighter ? new KeyInterval(value, included, to, includesTo) : this;
  }

  /** True when no value is in it for certain. */
  public boolean isEmpty() {
    if (from == null || to == null) {
      return false;
    }
    int order = from.compareTo(to);
    return order > 0 || (order == 0 && !(includesFrom && includesTo));
  }

  /** True when nothing is known. */
  public boolean isAll() {
    return from == null && to == null;
  }

  /** The only value that it has; null when it may have others. */
  public KeyValue single() {
    return from != null && from.equals(to) && includesFrom && includesTo ? from : null;
  }

  /** What counts of its values lies in this. */
  public KeyInterval counted(KeyExpression expression) {
    if (expression == null || isEmpty()) {
      return this;
    }
    // Both ways keep the order, but make different values equal. A remainder keeps nothing.
    return switch (expression.operator()) {
      case DIVIDE, LEFT ->
          new KeyInterval(counted(from, expression), true, counted(to, expression), true);
      case REMAINDER -> ALL;
    };
  }

  private static KeyValue counted(KeyValue value, KeyExpression expression) {
    return value == null ? null : value.counted(expression);
  }

  /** All its values; null when they may be more than so many, or not countable. */
  public List<KeyValue> values(int max) {
    if (isEmpty()) {
      return List.of();
    }
    if (!(from instanceof KeyValue.Number first) || !(to instanceof KeyValue.Number last)) {
      return single() == null ? null : List.of(from);
    }
    long distance = last.value() - first.value();
    if (distance < 0 || distance >= max) { // Less than 0 when it does not fit.
      return null;
    }
    List<KeyValue> values = new ArrayList<>();
    for (long at = 0; at <= distance; at++) {
      boolean excluded = (at == 0 && !includesFrom) || (at == distance && !includesTo);
      if (!excluded) {
        values.add(new KeyValue.Number(first.value() + at));
      }
    }
    return values;
  }

  /** Whether the condition holds for its values. */
  Truth holds(Condition condition) {
    KeyValue constant = condition.constants().get(0);
    return switch (condition.comparison()) {
      case LESS -> isBelow(constant, false);
      case LESS_OR_EQUAL -> isBelow(constant, true);
      case GREATER -> not(isBelow(constant, true));
      case GREATER_OR_EQUAL -> not(isBelow(constant, false));
      case EQUAL -> equalsOne(condition);
    };
  }

  private Truth isBelow(KeyValue constant, boolean orEqual) {
    if (to != null) {
      int order = to.compareTo(constant);
      if (order < 0 || (order == 0 && (orEqual || !includesTo))) {
        return Truth.TRUE;
      }
    }
    if (from != null) {
      int order = from.compareTo(constant);
      if (order > 0 || (order == 0 && !(orEqual && includesFrom))) {
        return Truth.FALSE;
      }
    }
    return Truth.UNKNOWN;
  }

  private Truth equalsOne(Condition condition) {
    if (single() != null) {
      return condition.holds(single()) ? Truth.TRUE : Truth.FALSE;
    }
    return condition.constants().stream().anyMatch(this::contains) ? Truth.UNKNOWN : Truth.FALSE;
  }

  /** Whether a value is in it. */
  boolean contains(KeyValue value) {
    int above = from == null ? 1 : value.compareTo(from);
    int below = to == null ? -1 : value.compareTo(to);
    return (above > 0 || (above == 0 && includesFrom)) && (below < 0 || (below == 0 && includesTo));
  }

  private static Truth not(Truth truth) {
    return switch (truth) {
      case TRUE -> Truth.FALSE;
      case FALSE -> Truth.TRUE;
      case UNKNOWN -> Truth.UNKNOWN;
    };
  }
}
