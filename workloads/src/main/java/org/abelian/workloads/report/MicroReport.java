package org.abelian.workloads.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.BenchRow;
import org.abelian.workloads.micro.MicroBench;
import org.abelian.workloads.micro.Objects;
import org.abelian.workloads.micro.Point;
import org.abelian.workloads.micro.Variety;

/** The microbenchmark's page: throughput by mix and by skew, as tables and pictures. */
public final class MicroReport {
  private static final int HALF = 50;

  private final BenchResult result;

  public MicroReport(BenchResult result) {
    this.result = result;
  }

  /** Writes the page. */
  public static void write(BenchResult result, Path page) throws IOException {
    Files.writeString(page, new MicroReport(result).html());
  }

  /** The page. */
  public String html() {
    List<Double> skews = numbers("skews");
    double greatest = Collections.max(skews);
    List<Point> mixes =
        numbers("mixes").stream().map(adds -> new Point(adds.intValue(), greatest)).toList();
    List<Point> spread = skews.stream().map(zipf -> new Point(HALF, zipf)).toList();
    return Html.page(
        "Reads beside operations",
        Html.paragraph(
                "%s clients, transactions of four reads or operations on %s objects, two processors shared by clients and server."
                    .formatted(result.parameters().get("clients"), result.parameters().get("size")))
            + objects().stream().map(one -> sections(one, mixes, spread)).reduce("", String::concat)
            + ratios());
  }

  private List<Objects> objects() {
    List<?> names = (List<?>) result.parameters().get("objects");
    return names.stream().map(name -> Objects.valueOf(name.toString())).toList();
  }

  private String sections(Objects objects, List<Point> mixes, List<Point> spread) {
    String skew = section(objects, "skew of popularity", "Zipf exponent", spread, numbers("skews"));
    return objects.variesMix()
        ? section(objects, "share of operations", "percent operations", mixes, numbers("mixes"))
            + skew
        : skew;
  }

  private String section(
      Objects objects, String title, String axis, List<Point> points, List<Double> places) {
    Map<String, List<Double>> series = new LinkedHashMap<>();
    List<List<String>> table = new ArrayList<>();
    for (Variety variety : Variety.values()) {
      List<Double> line =
          points.stream().map(point -> throughput(objects, variety, point)).toList();
      series.put(variety.label(), line);
      List<String> cells = new ArrayList<>(List.of(variety.label()));
      line.forEach(value -> cells.add("%,.0f".formatted(value)));
      table.add(cells);
    }
    List<String> head = new ArrayList<>(List.of("transactions per second"));
    points.forEach(point -> head.add(point.label()));
    return "<h2>"
        + Html.escape(objects.label() + ": " + title)
        + "</h2>\n"
        + Html.table(head, table)
        + Html.figure(Charts.lines("Transactions per second", axis, places, series));
  }

  private double throughput(Objects objects, Variety variety, Point point) {
    String name = MicroBench.name(objects, variety, point);
    return result.rows().stream()
        .filter(row -> row.variant().equals(name))
        .mapToDouble(BenchRow::throughput)
        .findFirst()
        .orElse(0);
  }

  private List<Double> numbers(String parameter) {
    List<Double> numbers = new ArrayList<>();
    for (Object number : (List<?>) result.parameters().get(parameter)) {
      numbers.add(((Number) number).doubleValue());
    }
    return numbers;
  }

  private String ratios() {
    List<List<String>> rows = new ArrayList<>();
    result.ratios().forEach((name, value) -> rows.add(List.of(name, "%.2f".formatted(value))));
    return Html.table(List.of("ratio at the greatest skew", "median of the rounds"), rows);
  }
}
