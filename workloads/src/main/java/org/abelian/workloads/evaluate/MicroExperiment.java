package org.abelian.workloads.evaluate;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.BenchRow;
import org.abelian.workloads.micro.MicroBench;
import org.abelian.workloads.micro.MicroOptions;
import org.abelian.workloads.micro.Objects;
import org.abelian.workloads.micro.Point;
import org.abelian.workloads.micro.Variety;

/** The microbenchmark of the Claret paper as an experiment, at its most contended point. */
final class MicroExperiment {
  static final String NAME = "micro";
  private static final double GREATEST_SKEW = 1.5;
  private static final int OBJECTS = 10_000;
  private static final int ROUND_TRIP_MICROS = 150;
  private static final Point HOT = new Point(50, GREATEST_SKEW);
  private static final double PAPER = 49;
  private static final int CONNECTING_SECONDS = 2;

  private final Database database;
  private final Path bindir;
  private final Size size;

  /**
   * @param bindir folder of pgbench
   */
  MicroExperiment(Database database, Path bindir, Size size) {
    this.database = database;
    this.bindir = bindir;
    this.size = size;
  }

  BenchResult run(Consumer<String> progress) throws Exception {
    MicroOptions options =
        new MicroOptions(
            List.of(Objects.SET),
            size.clients(),
            seconds(),
            size.rounds(),
            OBJECTS,
            List.of(),
            List.of(GREATEST_SKEW),
            ROUND_TRIP_MICROS);
    BenchResult measured = new MicroBench(database, bindir, options).run(progress);
    return new BenchResult(
        NAME, parameters(), measured.rows(), measured.ratios(), further(measured));
  }

  /** What a result was asked for. */
  Map<String, Object> parameters() {
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("size", size.name());
    parameters.put("clients", size.clients());
    parameters.put("seconds", seconds());
    parameters.put("rounds", size.rounds());
    parameters.put("round_trip_ms", ROUND_TRIP_MICROS / 1000.0);
    return parameters;
  }

  /** pgbench runs for whole seconds, and connects within them. */
  private int seconds() {
    return CONNECTING_SECONDS + (int) Math.ceil(size.time().toMillis() / 1000.0);
  }

  private static Map<String, Object> further(BenchResult measured) {
    Map<String, Object> further = new LinkedHashMap<>();
    further.put("title", "Microbenchmark of sets");
    further.put(
        "descriptions",
        List.of(
            "Transactions of four on 10,000 sets, half additions, half sizes, Zipf %.1f"
                .formatted(GREATEST_SKEW)));
    further.put("points", List.of(""));
    further.put("arms", measured.rows().stream().map(BenchRow::variant).toList());
    further.put("comparisons", comparisons());
    further.put("counts", counts(measured));
    further.put("waits_percent", Map.of());
    further.put("consistency", Map.of());
    return further;
  }

  private static List<Map<String, Object>> comparisons() {
    List<Map<String, Object>> list = new ArrayList<>();
    list.add(comparison("phaser_over_retrying", Variety.RETRYING, PAPER, "Claret: up to 49"));
    list.add(comparison("phaser_over_row_locks", Variety.ROW_LOCKS, null, ""));
    list.add(comparison("phaser_over_locks", Variety.LOCKS, null, ""));
    list.add(
        comparison(
            "phaser_over_none", Variety.NONE, null, "Claret: up to 1.2, with operations combined"));
    return list;
  }

  private static Map<String, Object> comparison(
      String ratio, Variety under, Double goal, String paper) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("ratio", ratio);
    entry.put("over", MicroBench.name(Objects.SET, Variety.PHASER, HOT));
    entry.put("under", MicroBench.name(Objects.SET, under, HOT));
    entry.put("goal", goal);
    entry.put("paper", paper);
    return entry;
  }

  private static Map<String, Map<String, Object>> counts(BenchResult measured) {
    Map<?, ?> retries = (Map<?, ?>) measured.further().get("retries");
    Map<String, Map<String, Object>> counts = new LinkedHashMap<>();
    measured
        .rows()
        .forEach(
            row ->
                counts.put(
                    row.variant(),
                    Map.of("retries", retries.get(row.variant()), "failed", Map.of())));
    return counts;
  }
}
