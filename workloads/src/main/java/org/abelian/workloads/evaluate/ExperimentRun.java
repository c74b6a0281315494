package org.abelian.workloads.evaluate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.abelian.workloads.client.Pace;
import org.abelian.workloads.client.Tally;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.Crew;
import org.abelian.workloads.measure.Interleaving;
import org.abelian.workloads.measure.Measurements;
import org.abelian.workloads.measure.Sample;
import org.abelian.workloads.measure.Variant;
import org.abelian.workloads.measure.WarmUp;
import org.abelian.workloads.workload.ClientOptions;
import org.abelian.workloads.workload.Clients;
import org.abelian.workloads.workload.Finding;

/** Runs one experiment: loads, warms up, measures all arms interleaved, checks. */
final class ExperimentRun {
  private final Experiment experiment;
  private final Targets targets;
  private final Size size;
  private final long seed;
  private final Map<String, Tables> tables = new LinkedHashMap<>();
  private final Map<String, List<Tally>> tallies = new LinkedHashMap<>();
  private final Map<String, Map<String, Double>> profiles = new LinkedHashMap<>();

  ExperimentRun(Experiment experiment, Targets targets, Size size, long seed) {
    this.experiment = experiment;
    this.targets = targets;
    this.size = size;
    this.seed = seed;
  }

  /**
   * Runs it; the tables are dropped in the end.
   *
   * @param progress told a line about each step
   */
  BenchResult run(Consumer<String> progress) throws Exception {
    try {
      load(progress);
      WarmUp.run(warmUps(), size.warmUp(), progress);
      Measurements measured = new Interleaving(variants(), size.rounds()).run(progress);
      return result(measured);
    } finally {
      for (Tables each : tables.values()) {
        each.drop();
      }
    }
  }

  private void load(Consumer<String> progress) throws Exception {
    for (Arm arm : experiment.arms()) {
      String key = key(arm);
      if (!tables.containsKey(key)) {
        progress.accept("loading " + experiment.name() + ", " + key);
        Tables own = new Tables(experiment, targets, arm.place(), arm.columns());
        tables.put(key, own);
        own.create(seed);
      }
    }
  }

  private static String key(Arm arm) {
    return arm.place() + " " + arm.columns();
  }

  private Map<String, List<WarmUp.Step>> warmUps() {
    Map<String, List<WarmUp.Step>> ways = new LinkedHashMap<>();
    for (Arm arm : experiment.arms()) {
      List<WarmUp.Step> steps = new ArrayList<>();
      for (Point point : experiment.points()) {
        steps.add(
            time -> {
              Tables own = tables.get(key(arm));
              crew(arm, point, -1, own.tally(arm.mode())).measure(own.pool(), time);
            });
      }
      ways.put(arm.label(), steps);
    }
    return ways;
  }

  private List<Variant> variants() {
    List<Variant> variants = new ArrayList<>();
    for (Point point : experiment.points()) {
      for (Arm arm : experiment.arms()) {
        variants.add(
            new Variant(point.row(arm), experiment.clients(), round -> measure(arm, point, round)));
      }
    }
    return variants;
  }

  /** The last round is the one that the profile tells of. */
  private Sample measure(Arm arm, Point point, int round) throws Exception {
    Tables own = tables.get(key(arm));
    Tally tally = own.tally(arm.mode());
    tallies.computeIfAbsent(point.row(arm), any -> new ArrayList<>()).add(tally);
    try (WaitSampler sampler = new WaitSampler(targets.servers(arm.place()))) {
      Sample sample = crew(arm, point, round, tally).measure(own.pool(), size.time());
      profiles.put(point.row(arm), sampler.stop());
      return sample;
    }
  }

  private Crew crew(Arm arm, Point point, int round, Tally tally) {
    return Clients.of(
        tables.get(key(arm)).of(point),
        new ClientOptions(experiment.clients(), arm.mode(), Pace.UNLIMITED, experiment.roundTrip()),
        tally,
        seed + (round + 1L) * experiment.clients());
  }

  private BenchResult result(Measurements measured) throws Exception {
    Map<String, Double> ratios = new LinkedHashMap<>();
    for (Point point : experiment.points()) {
      for (Comparison each : experiment.comparisons()) {
        ratios.put(
            ratio(each, point), measured.ratio(point.row(each.over()), point.row(each.under())));
      }
    }
    Map<String, Object> further = new LinkedHashMap<>();
    further.put("title", experiment.title());
    further.put("descriptions", descriptions());
    further.put("points", experiment.points().stream().map(Point::label).toList());
    further.put("arms", experiment.arms().stream().map(Arm::label).toList());
    further.put("comparisons", comparisons());
    further.put("counts", counts());
    further.put("waits_percent", profiles);
    further.put("consistency", consistency());
    return new BenchResult(experiment.name(), parameters(), measured.rows(), ratios, further);
  }

  private static String ratio(Comparison comparison, Point point) {
    return point.label().isEmpty() ? comparison.name() : comparison.name() + ": " + point.label();
  }

  private List<String> descriptions() {
    Tables any = tables.values().iterator().next();
    return experiment.points().stream()
        .map(point -> any.of(point).workload().description())
        .toList();
  }

  private List<Map<String, Object>> comparisons() {
    List<Map<String, Object>> list = new ArrayList<>();
    for (Point point : experiment.points()) {
      for (Comparison each : experiment.comparisons()) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("ratio", ratio(each, point));
        entry.put("over", point.row(each.over()));
        entry.put("under", point.row(each.under()));
        entry.put("goal", Double.isNaN(each.goal()) ? null : each.goal());
        entry.put("paper", each.paper());
        list.add(entry);
      }
    }
    return list;
  }

  private Map<String, Map<String, Object>> counts() {
    Map<String, Map<String, Object>> counts = new LinkedHashMap<>();
    tallies.forEach(
        (row, own) -> {
          Map<String, Long> completed = new TreeMap<>();
          Map<String, Long> failed = new TreeMap<>();
          own.forEach(tally -> add(completed, tally.completed()));
          own.forEach(tally -> add(failed, tally.failed()));
          Map<String, Object> entry = new LinkedHashMap<>();
          entry.put("retries", own.stream().mapToLong(Tally::retries).sum());
          entry.put("completed", completed);
          entry.put("failed", failed);
          counts.put(row, entry);
        });
    return counts;
  }

  private static void add(Map<String, Long> sums, Map<String, Long> more) {
    more.forEach((name, count) -> sums.merge(name, count, Long::sum));
  }

  private Map<String, Map<String, Long>> consistency() throws Exception {
    Map<String, Map<String, Long>> found = new LinkedHashMap<>();
    for (Map.Entry<String, Tables> each : tables.entrySet()) {
      Map<String, Long> violations = new LinkedHashMap<>();
      for (Finding finding : each.getValue().check()) {
        violations.put(finding.claim(), finding.violations());
      }
      found.put(each.getKey(), violations);
    }
    return found;
  }

  /** What a result was asked for; a result with the same need not be measured again. */
  Map<String, Object> parameters() {
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("size", size.name());
    parameters.put("clients", experiment.clients());
    parameters.put("seconds", seconds(size.time()));
    parameters.put("rounds", size.rounds());
    parameters.put("warm_up_s", seconds(size.warmUp()));
    parameters.put("round_trip_ms", experiment.roundTrip().toNanos() / 1e6);
    parameters.put("seed", (int) seed);
    return parameters;
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1000.0;
  }
}
