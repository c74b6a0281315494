package org.abelian.workloads.queries;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The rows that a query gave.
 *
 * <p>Values are compared as texts. No query gives floating-point numbers, whose last digits would
 * hang on the order of additions; numeric ones must agree to the last digit.
 *
 * @param rows the texts of the columns of each
 * @param seconds until the last row was there
 */
record Answer(List<String[]> rows, double seconds) {
  /**
   * How another answer differs from this one; nothing when it has the same rows, in an order that
   * the query allows.
   *
   * @param order the columns, from 1, by which rows are ordered; equal ones may change places
   */
  Optional<String> difference(Answer other, List<Integer> order) {
    Map<List<String>, Integer> surplus = new HashMap<>();
    rows.forEach(row -> surplus.merge(Arrays.asList(row), -1, Integer::sum));
    other.rows.forEach(row -> surplus.merge(Arrays.asList(row), 1, Integer::sum));
    surplus.values().removeIf(count -> count == 0);
    if (!surplus.isEmpty()) {
      return Optional.of(
          "%d rows, not %d; %s"
              .formatted(other.rows.size(), rows.size(), examples(surplus, List.of("+", "-"))));
    }
    for (int i = 0; i < rows.size(); i++) {
      if (!key(rows.get(i), order).equals(key(other.rows.get(i), order))) {
        return Optional.of("out of order from row " + (i + 1));
      }
    }
    return Optional.empty();
  }

  private static List<String> key(String[] row, List<Integer> order) {
    return order.stream().map(column -> row[column - 1]).toList();
  }

  /** One row that is too much and one that is missing, as far as there are such. */
  private static String examples(Map<List<String>, Integer> surplus, List<String> signs) {
    List<String> found = new ArrayList<>();
    for (String sign : signs) {
      surplus.entrySet().stream()
          .filter(entry -> entry.getValue() > 0 == sign.equals("+"))
          .findFirst()
          .ifPresent(entry -> found.add(sign + entry.getKey()));
    }
    return String.join(" ", found);
  }
}
