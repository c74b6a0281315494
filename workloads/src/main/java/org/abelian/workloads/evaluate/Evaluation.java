package org.abelian.workloads.evaluate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.ResultFile;

/** Runs all experiments of a size; each leaves a result file in a folder. */
public final class Evaluation {
  private final Targets targets;
  private final Size size;
  private final long seed;
  private final Path folder;
  private final Map<String, Object> environment;

  /**
   * @param folder of result files
   * @param environment what each result tells about where it was measured
   */
  public Evaluation(
      Targets targets, Size size, long seed, Path folder, Map<String, Object> environment) {
    this.targets = targets;
    this.size = size;
    this.seed = seed;
    this.folder = folder;
    this.environment = environment;
  }

  /**
   * Runs the experiments whose names match.
   *
   * @param only a regular expression for a part of the name
   * @param resume keeps results of the same size that are there already
   * @param progress told a line about each step
   * @return results of all of them, in their order
   */
  public List<BenchResult> run(String only, boolean resume, Consumer<String> progress)
      throws Exception {
    List<BenchResult> results = new ArrayList<>();
    for (Step step : steps()) {
      if (!step.name.matches(".*(" + only + ").*")) {
        continue;
      }
      Path file = folder.resolve(step.name + ".json");
      BenchResult result = resume ? kept(file, step) : null;
      if (result == null) {
        progress.accept("experiment " + step.name);
        result = withEnvironment(step.measurement.run(progress));
        ResultFile.write(result, file);
      } else {
        progress.accept("keeping " + file);
      }
      results.add(result);
    }
    return results;
  }

  /** What gives one result. */
  private record Step(String name, Map<String, Object> parameters, Measurement measurement) {}

  /** Measures it. */
  @FunctionalInterface
  private interface Measurement {
    BenchResult run(Consumer<String> progress) throws Exception;
  }

  private List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    for (Experiment each : Catalogue.of(size)) {
      ExperimentRun run = new ExperimentRun(each, targets, size, seed);
      steps.add(new Step(each.name(), run.parameters(), run::run));
    }
    MicroExperiment micro = new MicroExperiment(targets.one(), targets.bindir(), size);
    steps.add(new Step(MicroExperiment.NAME, micro.parameters(), micro::run));
    return steps;
  }

  private static BenchResult kept(Path file, Step step) throws IOException {
    if (!Files.exists(file)) {
      return null;
    }
    BenchResult result = ResultFile.read(file);
    return step.parameters.equals(result.parameters()) ? result : null;
  }

  private BenchResult withEnvironment(BenchResult result) {
    Map<String, Object> further = new LinkedHashMap<>(result.further());
    further.put("environment", environment);
    return new BenchResult(
        result.name(), result.parameters(), result.rows(), result.ratios(), further);
  }
}
