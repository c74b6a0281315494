package org.abelian.workloads.measure;

import java.io.PrintStream;
import java.util.Map;

/** Results as a table for people. */
public final class ResultTable {
  private ResultTable() {}

  public static void print(BenchResult result, PrintStream out) {
    if (!result.rows().isEmpty()) {
      out.printf(
          "%n%-34s %7s %14s %10s %10s %9s%n",
          result.name(), "clients", "per second", "p50 ms", "p99 ms", "failures");
    }
    for (BenchRow row : result.rows()) {
      out.printf(
          "%-34s %7d %,14.1f %10.3f %10.3f %,9d%n",
          row.variant(),
          row.clients(),
          row.throughput(),
          row.p50Millis(),
          row.p99Millis(),
          row.failures());
    }
    if (!result.ratios().isEmpty()) {
      out.println();
    }
    for (Map.Entry<String, Double> ratio : result.ratios().entrySet()) {
      out.printf("%-34s %7.3f%n", ratio.getKey(), ratio.getValue());
    }
  }
}
