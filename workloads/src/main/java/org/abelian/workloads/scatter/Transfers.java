package org.abelian.workloads.scatter;

import org.abelian.workloads.pair.PairProcedure;

/** How amounts are transferred between rows of two nodes, and the commit class that this takes. */
enum Transfers {
  COORDINATED("coordinated", "bal", null, "coordinated"),
  COMMUTING("commuting", "n", null, "commuting"),
  /** That a bigint may overflow makes the analysis call the procedure so. */
  COORDINATED_CALL("coordinated", "bal", "bench_transfer_plain", "coordinated calls"),
  COMMUTING_CALL("commuting", "n", "bench_transfer_counter", "commuting calls"),
  /** Here it cannot overflow, so the class is promised. */
  INDEPENDENT_CALL("independent", "bal", "bench_transfer_promised", "independent calls");

  private final String commitClass;
  private final String column;
  private final String procedure;
  private final String label;

  Transfers(String commitClass, String column, String procedure, String label) {
    this.commitClass = commitClass;
    this.column = column;
    this.procedure = procedure;
    this.label = label;
  }

  /** By the router's name. */
  String commitClass() {
    return commitClass;
  }

  /** Whether it is one call; else it is a transaction block, statement by statement. */
  boolean isCall() {
    return procedure != null;
  }

  /** The statement of one of the two additions. */
  String update(String table, String change, String key) {
    return "UPDATE %1$s SET %2$s = %2$s %3$s WHERE id = %4$s".formatted(table, column, change, key);
  }

  /** What makes both in one call. */
  PairProcedure procedure(String table) {
    return new PairProcedure(
        procedure,
        table,
        true,
        update(table, "- amount", "one"),
        update(table, "+ amount", "other"),
        this == INDEPENDENT_CALL);
  }

  /** In names of ratios. */
  String key() {
    return label.replace(' ', '_');
  }

  @Override
  public String toString() {
    return label;
  }
}
