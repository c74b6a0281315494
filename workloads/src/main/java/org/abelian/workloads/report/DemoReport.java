package org.abelian.workloads.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.BenchRow;
import org.abelian.workloads.measure.ResultFile;

/** The demo's page: the hot row and TPC-C, as tables and pictures. */
public final class DemoReport {
  private static final List<String> LOADS = List.of("hot", "hot, 2 ms think time", "uniform");
  private static final int PERCENT = 100;

  private final BenchResult hotRow;
  private final BenchResult tpcc;
  private final BenchResult check;

  /**
   * @param check result that has the findings of the consistency check
   */
  public DemoReport(BenchResult hotRow, BenchResult tpcc, BenchResult check) {
    this.hotRow = hotRow;
    this.tpcc = tpcc;
    this.check = check;
  }

  /** Writes the page from result files. */
  public static void write(Path hotRow, Path tpcc, Path check, Path page) throws IOException {
    DemoReport report =
        new DemoReport(ResultFile.read(hotRow), ResultFile.read(tpcc), ResultFile.read(check));
    Files.writeString(page, report.html());
  }

  /** The page. */
  public String html() {
    return Html.page("Abelian: what the demo measured", hotRowSection() + tpccSection());
  }

  private String hotRowSection() {
    String html =
        "<h2>One row, many clients</h2>\n"
            + Html.paragraph(
                ("%s clients add to one row of one PostgreSQL node, and to rows chosen at random."
                        + " With a bigint column every client waits for the row lock of the one"
                        + " before; additions to an abelian.counter commute and do not wait.")
                    .formatted(hotRow.parameters().get("clients")))
            + Html.table(
                List.of("variant", "clients", "per second", "p50 ms", "p99 ms", "failures"),
                hotRow.rows().stream().map(DemoReport::cells).toList());
    List<BenchRow> plain = rows("bigint ");
    List<BenchRow> counter = rows("counter ");
    if (plain.size() == LOADS.size() && counter.size() == LOADS.size()) {
      html += Html.figure(Charts.hotRow(LOADS, plain, counter));
    }
    return html + ratios();
  }

  private String ratios() {
    List<List<String>> rows = new ArrayList<>();
    hotRow.ratios().forEach((name, value) -> rows.add(List.of(name, "%.2f".formatted(value))));
    return Html.table(List.of("ratio of throughput", "median of the rounds"), rows);
  }

  private List<BenchRow> rows(String type) {
    return LOADS.stream()
        .flatMap(load -> hotRow.rows().stream().filter(r -> r.variant().equals(type + load)))
        .toList();
  }

  private static List<String> cells(BenchRow row) {
    return List.of(
        row.variant(),
        "%d".formatted(row.clients()),
        "%,.1f".formatted(row.throughput()),
        "%.3f".formatted(row.p50Millis()),
        "%.3f".formatted(row.p99Millis()),
        "%,d".formatted(row.failures()));
  }

  private String tpccSection() {
    return "<h2>TPC-C over the cluster</h2>\n"
        + Html.paragraph(
            "%s warehouses, %s terminals, the specified mix, through the router. Not an audited TPC result."
                .formatted(tpcc.parameters().get("warehouses"), tpcc.parameters().get("terminals")))
        + Html.table(
            List.of("transaction", "terminals", "per second", "p50 ms", "p99 ms", "failures"),
            tpcc.rows().stream().map(DemoReport::cells).toList())
        + Html.figure(Charts.progress(perSecond()))
        + commitClasses()
        + consistency();
  }

  private List<Number> perSecond() {
    List<Number> series = new ArrayList<>();
    for (Object value : (List<?>) tpcc.further().getOrDefault("per_second", List.of())) {
      series.add((Number) value);
    }
    return series.isEmpty() ? List.of(0) : series;
  }

  private String commitClasses() {
    List<List<String>> rows = new ArrayList<>();
    Map<?, ?> shares = (Map<?, ?>) tpcc.further().getOrDefault("commit_classes", Map.of());
    shares.forEach(
        (name, share) ->
            rows.add(
                List.of(
                    name.toString(),
                    "%.1f %%".formatted(((Number) share).doubleValue() * PERCENT))));
    return "<h2>How transactions committed</h2>\n"
        + Html.paragraph(
            "A transaction that wrote on one node is committed by that node alone; one that wrote"
                + " on several nodes takes the coordinated commit. Told by the nodes it wrote on.")
        + Html.table(List.of("commit class", "share"), rows);
  }

  private String consistency() {
    List<List<String>> rows = new ArrayList<>();
    long violations = 0;
    List<?> findings = (List<?>) check.further().getOrDefault("consistency", List.of());
    for (Object item : findings) {
      Map<?, ?> finding = (Map<?, ?>) item;
      long count = ((Number) finding.get("violations")).longValue();
      violations += count;
      rows.add(
          List.of(
              finding.get("condition") + "  " + finding.get("text"),
              "%,d".formatted(((Number) finding.get("checked")).longValue()),
              "%,d".formatted(count)));
    }
    String verdict;
    if (findings.isEmpty()) {
      verdict = "<p class=\"bad\">Not checked.</p>\n";
    } else if (violations == 0) {
      verdict = "<p class=\"good\">All conditions hold.</p>\n";
    } else {
      verdict = "<p class=\"bad\">%,d violations.</p>%n".formatted(violations);
    }
    return "<h2>Consistency after the run</h2>\n"
        + verdict
        + Html.table(List.of("condition", "checked", "violations"), rows);
  }
}
