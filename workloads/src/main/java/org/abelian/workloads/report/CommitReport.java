package org.abelian.workloads.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.BenchRow;

/** A page with the pictures of the commit benchmark. */
public final class CommitReport {
  private static final List<String> LOADS =
      List.of("uniform 0 ms", "uniform 1 ms", "hot 0 ms", "hot 1 ms");

  private CommitReport() {}

  /** The page. */
  public static String html(BenchResult result) {
    StringBuilder body = new StringBuilder();
    for (String load : LOADS) {
      body.append(pictures(result, load));
    }
    body.append("<h2>Ratios</h2>\n");
    List<List<String>> ratios = new ArrayList<>();
    result.ratios().forEach((name, value) -> ratios.add(List.of(name, format(Locale.ROOT, value))));
    body.append(Html.table(List.of("ratio", "value"), ratios));
    List<List<String>> rows = new ArrayList<>();
    for (BenchRow row : result.rows()) {
      rows.add(
          List.of(
              row.variant(),
              "%,.0f".formatted(row.throughput()),
              format(Locale.ROOT, row.p50Millis()),
              format(Locale.ROOT, row.p99Millis())));
    }
    body.append(Html.table(List.of("variant", "per second", "p50 ms", "p99 ms"), rows));
    return Html.page("Abelian: what commit classes cost", body.toString());
  }

  private static String format(Locale locale, double value) {
    return String.format(locale, "%.2f", value);
  }

  /** Throughput and latency of each way over the share of distributed transactions. */
  private static String pictures(BenchResult result, String load) {
    Map<String, Map<Integer, BenchRow>> ways = new LinkedHashMap<>();
    for (BenchRow row : result.rows()) {
      int sign = row.variant().indexOf("% " + load + " ");
      if (sign > 0) {
        String way = row.variant().substring(sign + load.length() + 3);
        int percent = Integer.parseInt(row.variant().substring(0, sign));
        ways.computeIfAbsent(way, any -> new LinkedHashMap<>()).put(percent, row);
      }
    }
    Map<Integer, BenchRow> single = ways.remove("single");
    if (ways.isEmpty()) {
      return "";
    }
    if (single != null) {
      ways.values().forEach(points -> points.putAll(single));
    }
    return "<h2>"
        + Html.escape(load)
        + "</h2>\n"
        + Html.figure(
            Charts.shares("Transactions per second", "per second", ways, BenchRow::throughput))
        + Html.figure(Charts.shares("Median latency", "ms", ways, BenchRow::p50Millis));
  }
}
