package org.abelian.workloads.workload;

import java.util.Map;

/**
 * A condition of consistency.
 *
 * @param claim what holds
 * @param violations a query for the number of its violations
 * @param transactional whether it is broken where statements make no transactions
 */
public record Rule(String claim, String violations, boolean transactional) {
  /** A condition that holds without transactions, too. */
  public static Rule always(String claim, String violations) {
    return new Rule(claim, violations, false);
  }

  /** A condition that holds because transactions are whole or absent. */
  public static Rule ofTransactions(String claim, String violations) {
    return new Rule(claim, violations, true);
  }

  /**
   * A table has a row for each transaction of a type.
   *
   * @param atStart rows of the load
   * @param committed transactions since then, by type
   */
  public static Rule acknowledged(
      String type, String table, long atStart, Map<String, Long> committed) {
    return always(
        "every acknowledged %s is there once".formatted(type),
        "SELECT abs((SELECT count(*) FROM %s) - %d)"
            .formatted(table, atStart + committed.getOrDefault(type, 0L)));
  }
}
