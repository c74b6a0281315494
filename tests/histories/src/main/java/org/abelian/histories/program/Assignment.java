package org.abelian.histories.program;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One {@code column = expression} of an UPDATE.
 *
 * @param operand number, text, element, score or entry for {@link Kind#ADD}, {@link Kind#PUT},
 *     {@link Kind#REMOVE} and {@link Kind#SET}, else null
 */
public record Assignment(Column target, Kind kind, Object operand) {
  /** The forms of expression. */
  public enum Kind {
    /**
     * {@code x = x + operand}, {@code m = greatest(m, operand)}, {@code s = add(s, element)}: an
     * operation, but an overwrite of the plain note.
     */
    ADD,
    /**
     * {@code z = put(z, element, score)}, {@code e = put(e, key, value)}: an operation that depends
     * on the element.
     */
    PUT,
    /**
     * {@code s = remove(s, element)}, {@code b = remove(b, element, count)}: an operation that
     * depends on the element.
     */
    REMOVE,
    /** {@code c = c + note}: an operation whose argument is a plain column of the row. */
    ADD_NOTE,
    /** {@code x = operand}. */
    SET,
    /** {@code c = c * 2}: reads the counter other than as an operation. */
    DOUBLE,
    /** {@code note = c}: a plain column gets a counter's value. */
    COPY_COUNTER,
    /** {@code note = size(s)}. */
    COPY_SIZE
  }

  /** An element of {@link Column#SCORES} or {@link Column#COUNTS} and a number for it. */
  public record Score(String element, BigDecimal number) {}

  /** A key of {@link Column#ENTRIES} and a value for it. */
  public record Entry(String key, String value) {}

  public boolean isOperation() {
    return switch (kind) {
      case ADD, ADD_NOTE -> target != Column.NOTE;
      case PUT, REMOVE -> true;
      default -> false;
    };
  }

  /** The element that an operation is about, or null. */
  public String element() {
    if (!isOperation() || !target.hasElements()) {
      return null;
    }
    if (operand instanceof Entry entry) {
      return entry.key();
    }
    return operand instanceof Score score ? score.element() : (String) operand;
  }

  /** Columns that the expression reads, except the target of an operation. */
  public int reads() {
    return switch (kind) {
      case SET, PUT, REMOVE -> ColumnSet.NONE;
      case ADD -> isOperation() ? ColumnSet.NONE : ColumnSet.of(target);
      case ADD_NOTE -> ColumnSet.of(Column.NOTE);
      case DOUBLE -> ColumnSet.of(target);
      case COPY_COUNTER -> ColumnSet.of(Column.COUNTER);
      case COPY_SIZE -> ColumnSet.of(Column.TAGS);
    };
  }

  /** For an operation its operand, null if it is NULL; otherwise the new value. */
  public Object evaluate(Row row) {
    return switch (kind) {
      case SET, PUT, REMOVE -> operand;
      case ADD -> isOperation() ? operand : sum(row.number(target), (BigDecimal) operand);
      case ADD_NOTE -> row.get(Column.NOTE);
      case COPY_COUNTER -> row.get(Column.COUNTER);
      case COPY_SIZE -> Column.number(((Set<?>) row.get(Column.TAGS)).size());
      case DOUBLE -> {
        BigDecimal value = row.number(target);
        yield sum(value, value);
      }
    };
  }

  /**
   * The column's value after an operation of this kind, or an overwrite, with what {@link
   * #evaluate} gave.
   */
  public Object after(Object value, Object evaluated) {
    if (!isOperation()) {
      return evaluated;
    }
    return switch (target) {
      case HIGHEST -> ((BigDecimal) value).max((BigDecimal) evaluated);
      case TAGS -> tags(value, (String) evaluated);
      case SCORES -> scores(value, evaluated);
      case COUNTS -> counts(value, (Score) evaluated);
      case ENTRIES -> entries(value, evaluated);
      default -> sum((BigDecimal) value, (BigDecimal) evaluated);
    };
  }

  private Set<String> tags(Object value, String element) {
    Set<String> tags = new TreeSet<>();
    ((Set<?>) value).forEach(tag -> tags.add((String) tag));
    if (kind == Kind.ADD) {
      tags.add(element);
    } else {
      tags.remove(element);
    }
    return tags;
  }

  private Map<String, BigDecimal> scores(Object value, Object evaluated) {
    Map<String, BigDecimal> scores = numbers(value);
    if (!(evaluated instanceof Score score)) {
      scores.remove(evaluated);
    } else if (kind == Kind.PUT) {
      scores.put(score.element(), score.number());
    } else {
      scores.merge(score.element(), score.number(), BigDecimal::add);
    }
    return scores;
  }

  private Map<String, BigDecimal> counts(Object value, Score evaluated) {
    BigDecimal number = evaluated.number();
    Map<String, BigDecimal> counts = numbers(value);
    counts.merge(evaluated.element(), kind == Kind.ADD ? number : number.negate(), BigDecimal::add);
    counts.values().removeIf(count -> count.signum() <= 0);
    return counts;
  }

  private Map<String, String> entries(Object value, Object evaluated) {
    Map<String, String> entries = new TreeMap<>();
    ((Map<?, ?>) value).forEach((key, text) -> entries.put((String) key, (String) text));
    if (evaluated instanceof Entry entry) {
      entries.put(entry.key(), entry.value());
    } else {
      entries.remove(evaluated);
    }
    return entries;
  }

  private static Map<String, BigDecimal> numbers(Object value) {
    Map<String, BigDecimal> numbers = new TreeMap<>();
    ((Map<?, ?>) value).forEach((key, number) -> numbers.put((String) key, (BigDecimal) number));
    return numbers;
  }

  /** SQL addition: NULL if either is. */
  public static BigDecimal sum(BigDecimal a, BigDecimal b) {
    return a == null || b == null ? null : a.add(b);
  }
}
