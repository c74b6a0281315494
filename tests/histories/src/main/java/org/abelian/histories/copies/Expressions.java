package org.abelian.histories.copies;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Random expressions over one row of table {@code page} and over other rows of it, whose results
 * have the same text over the tables of both {@link Twins}.
 */
final class Expressions {
  private static final List<String> COLUMNS = List.of("likes", "total", "best");
  private static final int DEPTH_MAX = 3;

  private final Random random;
  private final String row;

  /**
   * Creates a source of expressions.
   *
   * @param row what the row is called: an alias, or a trigger's OLD or NEW
   */
  Expressions(Random random, String row) {
    this.random = random;
    this.row = row;
  }

  /** One to three expressions. */
  List<String> several() {
    return Stream.generate(this::any).limit(1 + random.nextInt(3)).toList();
  }

  private String any() {
    String column = COLUMNS.get(random.nextInt(COLUMNS.size()));
    return switch (random.nextInt(6)) {
      case 0 -> value(column, 0);
      case 1, 2 -> array(column, 0);
      case 3, 4 -> record(0);
      default -> records(0);
    };
  }

  private boolean ends(int depth) {
    return depth >= DEPTH_MAX || random.nextInt(3) == 0;
  }

  private String value(String column, int depth) {
    if (ends(depth)) {
      return row + "." + column;
    }
    int next = depth + 1;
    return switch (random.nextInt(9)) {
      case 0 -> "(" + array(column, next) + ")[1]";
      case 1 -> "(" + record(next) + ")." + column;
      case 2 -> "coalesce(%s, %s)".formatted(value(column, next), value(column, next));
      case 3 -> choice(value(column, next), value(column, next));
      case 4 -> "greatest(%s, %s)".formatted(value(column, next), value(column, next));
      case 5 -> "(SELECT q.%s FROM page q WHERE q.id = %s.id)".formatted(column, row);
      case 6 -> "same_%s(%s)".formatted(column, value(column, next));
      case 7 -> "kept_%s(%s)".formatted(column, value(column, next));
      default -> "(SELECT max(q.%s ORDER BY q.id) FROM page q)".formatted(column);
    };
  }

  private String array(String column, int depth) {
    int next = depth + 1;
    if (ends(depth)) {
      return "ARRAY[" + row + "." + column + "]";
    }
    return switch (random.nextInt(8)) {
      case 0 -> "ARRAY[%s, %s]".formatted(value(column, next), value(column, next));
      case 1 -> "array_append(%s, %s)".formatted(array(column, next), value(column, next));
      case 2 -> "array_cat(%s, %s)".formatted(array(column, next), array(column, next));
      case 3 -> "(SELECT array_agg(q.%s ORDER BY q.id) FROM page q)".formatted(column);
      case 4 -> "ARRAY(SELECT q.%s FROM page q ORDER BY q.%1$s, q.id)".formatted(column);
      case 5 -> choice(array(column, next), array(column, next));
      case 6 -> "both_%s(%s, %s)".formatted(column, value(column, next), value(column, next));
      default ->
          "(SELECT (array_agg(DISTINCT q.%s))[1:2] FROM page q WHERE q.id = %s.id)"
              .formatted(column, row);
    };
  }

  private String record(int depth) {
    if (ends(depth)) {
      return row;
    }
    int next = depth + 1;
    return switch (random.nextInt(5)) {
      case 0 -> "(SELECT q FROM page q WHERE q.id = " + row + ".id)";
      case 1 -> "same_row(" + record(next) + ")";
      case 2 -> "kept_row(" + record(next) + ")";
      case 3 -> "coalesce(%s, %s)".formatted(record(next), record(next));
      default ->
          "ROW(%s.id, %s, %s, %s, 'made')::page"
              .formatted(row, value("likes", next), value("total", next), value("best", next));
    };
  }

  private String records(int depth) {
    int next = depth + 1;
    return switch (random.nextInt(4)) {
      case 0 -> "ARRAY[" + record(next) + "]";
      case 1 -> "(SELECT array_agg(q ORDER BY q.id) FROM page q)";
      case 2 -> "ARRAY[%s, %s]".formatted(record(next), record(next));
      default -> "ARRAY(SELECT q FROM page q ORDER BY q.id)";
    };
  }

  private String choice(String one, String other) {
    return "CASE WHEN %s.id > %d THEN %s ELSE %s END"
        .formatted(row, 1 + random.nextInt(3), one, other);
  }
}
