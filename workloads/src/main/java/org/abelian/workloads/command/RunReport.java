package org.abelian.workloads.command;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.abelian.workloads.measure.BenchRow;
import org.abelian.workloads.measure.Sample;
import org.abelian.workloads.tpcc.check.Condition;
import org.abelian.workloads.tpcc.check.Violations;
import org.abelian.workloads.tpcc.input.TransactionType;
import org.abelian.workloads.tpcc.run.RunResult;
import org.abelian.workloads.tpcc.run.TypeStatistics;

/** The figures of a TPC-C run in the forms that tables, JSON and the demo's report want. */
final class RunReport {
  private RunReport() {}

  static Sample sample(RunResult run) {
    TypeStatistics total = run.total();
    return new Sample(
        run.throughput(),
        total.percentileMillis(50),
        total.percentileMillis(99),
        total.failures() + total.ambiguous());
  }

  /** One row for all types together and one for each type. */
  static List<BenchRow> rows(String variant, int terminals, RunResult run) {
    List<BenchRow> rows = new ArrayList<>();
    rows.add(row(variant, terminals, run.throughput(), run.total()));
    for (TransactionType type : TransactionType.values()) {
      rows.add(
          row(
              variant + "/" + type.label(),
              terminals,
              run.throughput(type),
              run.types().get(type)));
    }
    return rows;
  }

  private static BenchRow row(
      String name, int terminals, double throughput, TypeStatistics statistics) {
    return new BenchRow(
        name,
        terminals,
        throughput,
        statistics.percentileMillis(50),
        statistics.percentileMillis(99),
        statistics.failures() + statistics.ambiguous());
  }

  /** What a run's JSON tells beyond rows. */
  static Map<String, Object> further(RunResult run) {
    TypeStatistics total = run.total();
    Map<String, Object> further = new LinkedHashMap<>();
    further.put("per_second", run.perSecond());
    further.put("retries", total.retries());
    further.put("user_rollbacks", total.userRollbacks());
    further.put("ambiguous_commits", total.ambiguous());
    further.put("commit_classes", commitClasses(total));
    further.put("errors", run.errors());
    return further;
  }

  /** Shares of the committed transactions, by the nodes on which they wrote. */
  private static Map<String, Double> commitClasses(TypeStatistics total) {
    double committed = Math.max(total.committed(), 1);
    Map<String, Double> shares = new LinkedHashMap<>();
    shares.put("single", (total.committed() - total.coordinated()) / committed);
    shares.put("coordinated", total.coordinated() / committed);
    return shares;
  }

  /** The check's findings, per condition. */
  static List<Map<String, Object>> findings(Map<Condition, Violations> findings) {
    List<Map<String, Object>> list = new ArrayList<>();
    findings.forEach(
        (condition, violations) -> {
          Map<String, Object> entry = new LinkedHashMap<>();
          entry.put("condition", condition.name());
          entry.put("text", condition.text());
          entry.put("checked", violations.checked());
          entry.put("violations", violations.count());
          entry.put("examples", violations.examples());
          list.add(entry);
        });
    return list;
  }

  static void printFindings(Map<Condition, Violations> findings, PrintStream out) {
    findings.forEach(
        (condition, violations) -> {
          out.printf(
              "%-4s %-9s %s (%,d checked)%n",
              condition,
              violations.count() == 0 ? "holds" : "VIOLATED",
              condition.text(),
              violations.checked());
          violations.examples().forEach(example -> out.println("       " + example));
        });
  }

  static void printShares(RunResult run, PrintStream out) {
    TypeStatistics total = run.total();
    double committed = Math.max(total.committed(), 1);
    out.printf(
        "%ncommitted on one node %.1f%%, coordinated over several %.1f%% (by the nodes written);"
            + " retries %,d, rolled back by the user %,d, outcome unknown %,d%n",
        100 * (total.committed() - total.coordinated()) / committed,
        100 * total.coordinated() / committed,
        total.retries(),
        total.userRollbacks(),
        total.ambiguous());
    run.errors().forEach(error -> out.println("  " + error));
  }
}
