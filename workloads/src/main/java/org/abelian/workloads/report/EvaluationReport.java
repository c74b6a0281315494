package org.abelian.workloads.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.BenchRow;

/** The evaluation's page, in Markdown, with a picture for each experiment. */
public final class EvaluationReport {
  private static final String PAGE = "README.md";

  private final BenchResult result;

  private EvaluationReport(BenchResult result) {
    this.result = result;
  }

  /**
   * Writes page and pictures.
   *
   * @param results of experiments, not empty
   * @return the page
   */
  public static Path write(List<BenchResult> results, Path folder) throws IOException {
    StringBuilder page = new StringBuilder(head(results));
    for (BenchResult result : results) {
      EvaluationReport report = new EvaluationReport(result);
      Files.writeString(folder.resolve(result.name() + ".svg"), report.picture());
      page.append(report.section());
    }
    Path file = folder.resolve(PAGE);
    Files.writeString(file, page);
    return file;
  }

  private static String head(List<BenchResult> results) {
    BenchResult any = results.get(0);
    return """
    # Evaluation

    Written by `./abelian evaluate --%s`; do not edit. What it runs and how: [benchmarks](../guide/benchmarks.md#evaluate).

    %s

    | ratio | measured | at least | | papers |
    |---|---|---|---|---|
    %s
    """
        .formatted(
            any.parameters().get("size"),
            Markdown.bullets(map(any.further().get("environment"))),
            String.join(
                "\n",
                results.stream()
                    .flatMap(each -> new EvaluationReport(each).verdicts().stream())
                    .toList()));
  }

  /** A line of the table for each comparison that has a goal. */
  private List<String> verdicts() {
    List<String> lines = new ArrayList<>();
    for (Map<?, ?> comparison : comparisons()) {
      if (comparison.get("goal") != null) {
        double goal = ((Number) comparison.get("goal")).doubleValue();
        double measured = ratio(comparison);
        lines.add(
            Markdown.row(
                "[%s](#%s): %s".formatted(result.name(), anchor(), comparison.get("ratio")),
                "%.2f".formatted(measured),
                "%.2f".formatted(goal),
                measured >= goal ? "reached" : "**falls short**",
                comparison.get("paper").toString()));
      }
    }
    return lines;
  }

  private String section() {
    return """

    ## %s

    %s. %s clients, a round trip of %s ms, %s rounds of %s s.

    ![throughput](%s.svg)

    %s
    %s
    %s
    %s
    """
        .formatted(
            result.further().get("title"),
            String.join("; ", strings("descriptions")),
            result.parameters().get("clients"),
            result.parameters().get("round_trip_ms"),
            result.parameters().get("rounds"),
            result.parameters().get("seconds"),
            result.name(),
            rows(),
            ratios(),
            consistency(),
            profiles());
  }

  private String rows() {
    List<List<String>> rows = new ArrayList<>();
    Map<?, ?> counts = map(result.further().get("counts"));
    for (BenchRow row : result.rows()) {
      Map<?, ?> own = map(counts.get(row.variant()));
      rows.add(
          List.of(
              row.variant(),
              "%,.0f".formatted(row.throughput()),
              "%.2f".formatted(row.p50Millis()),
              "%.2f".formatted(row.p99Millis()),
              "%,d".formatted(((Number) own.get("retries")).longValue()),
              failed(map(own.get("failed")))));
    }
    return Markdown.table(
        List.of("", "per second", "p50 ms", "p99 ms", "retries", "given up, by SQLSTATE"), rows);
  }

  private static String failed(Map<?, ?> states) {
    return states.isEmpty() ? "0" : states.toString().replaceAll("[{}]", "");
  }

  private String ratios() {
    List<List<String>> rows = new ArrayList<>();
    for (Map<?, ?> comparison : comparisons()) {
      Object goal = comparison.get("goal");
      rows.add(
          List.of(
              comparison.get("ratio").toString(),
              "%s / %s".formatted(comparison.get("over"), comparison.get("under")),
              "%.2f".formatted(ratio(comparison)),
              goal == null ? "" : "%.2f".formatted(((Number) goal).doubleValue()),
              comparison.get("paper").toString()));
    }
    return Markdown.table(List.of("ratio", "of", "measured", "at least", "papers"), rows);
  }

  private String consistency() {
    List<String> broken = new ArrayList<>();
    map(result.further().get("consistency"))
        .forEach(
            (where, rules) ->
                map(rules)
                    .forEach(
                        (claim, violations) -> {
                          if (((Number) violations).longValue() != 0) {
                            broken.add("%s (%s: %s)".formatted(claim, where, violations));
                          }
                        }));
    return broken.isEmpty()
        ? "Afterwards every rule of consistency held.\n"
        : "**Broken afterwards:** " + String.join("; ", broken) + ".\n";
  }

  /** What sessions did in the last round of the arms that fall short. */
  private String profiles() {
    Map<?, ?> waits = map(result.further().get("waits_percent"));
    Map<String, String> lines = new LinkedHashMap<>();
    for (Map<?, ?> comparison : comparisons()) {
      Object goal = comparison.get("goal");
      if (goal != null && ratio(comparison) < ((Number) goal).doubleValue()) {
        for (String side : List.of("over", "under")) {
          String row = comparison.get(side).toString();
          if (waits.containsKey(row)) {
            lines.put(row, waits.get(row).toString().replaceAll("[{}]", ""));
          }
        }
      }
    }
    return lines.isEmpty()
        ? ""
        : "Where it falls short, sessions did this, in percent:\n\n" + Markdown.bullets(lines);
  }

  private String picture() {
    Map<String, List<Double>> series = new LinkedHashMap<>();
    List<String> points = strings("points");
    for (String arm : strings("arms")) {
      series.put(
          arm,
          points.stream()
              .map(point -> throughput(point.isEmpty() ? arm : arm + ": " + point))
              .toList());
    }
    return Charts.bars(result.further().get("title").toString(), points, series);
  }

  private double throughput(String variant) {
    return result.rows().stream()
        .filter(row -> row.variant().equals(variant))
        .mapToDouble(BenchRow::throughput)
        .findFirst()
        .orElse(0);
  }

  private double ratio(Map<?, ?> comparison) {
    return result.ratios().get(comparison.get("ratio").toString());
  }

  private List<Map<?, ?>> comparisons() {
    List<Map<?, ?>> all = new ArrayList<>();
    ((List<?>) result.further().get("comparisons")).forEach(each -> all.add(map(each)));
    return all;
  }

  private List<String> strings(String member) {
    return ((List<?>) result.further().get(member)).stream().map(Object::toString).toList();
  }

  private static Map<?, ?> map(Object value) {
    return (Map<?, ?>) value;
  }

  private String anchor() {
    return result
        .further()
        .get("title")
        .toString()
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^a-z0-9 -]", "")
        .replace(' ', '-');
  }
}
