package org.abelian.workloads.queries;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** Outcomes as a table for people. */
public final class QueryTable {
  private QueryTable() {}

  /** Prints a line for each query. */
  public static void print(List<QueryOutcome> outcomes, PrintStream out) {
    out.printf(
        "%n%-10s %10s %10s %8s %11s %8s %8s%n",
        "query", "plain s", "cluster s", "ratio", "gathered s", "planned", "rows");
    for (QueryOutcome outcome : outcomes) {
      out.printf(
          "%-10s %10s %10s %8s %11s %8s %8s%s%n",
          outcome.name(),
          number(outcome.plainSeconds(), "%.3f"),
          number(outcome.clusterSeconds(), "%.3f"),
          number(outcome.ratio(), "%.2f"),
          number(outcome.gatheredSeconds(), "%.3f"),
          number(outcome.plannedOverGathered(), "%.2f"),
          outcome.rows() == null ? "" : outcome.rows().toString(),
          outcome.failed() ? "  FAILED " + reason(outcome) : "");
    }
  }

  private static String number(Double value, String format) {
    return value == null ? "" : String.format(Locale.ROOT, format, value);
  }

  private static String reason(QueryOutcome outcome) {
    return outcome.sqlstate() == null
        ? "another answer: " + outcome.error()
        : outcome.sqlstate() + " " + outcome.error();
  }
}
