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
    for (Experiment experiment : Catalogue.of(size)) {
      if (!experiment.name().matches(".*(" + only + ").*")) {
        continue;
      }
      Path file = folder.resolve(experiment.name() + ".json");
      BenchResult kept = resume ? kept(file, experiment) : null;
      if (kept == null) {
        kept = measure(experiment, progress);
        ResultFile.write(kept, file);
      } else {
        progress.accept("keeping " + file);
      }
      results.add(kept);
    }
    return results;
  }

  private BenchResult kept(Path file, Experiment experiment) throws IOException {
    if (!Files.exists(file)) {
      return null;
    }
    BenchResult result = ResultFile.read(file);
    boolean same = ExperimentRun.parameters(size, experiment, seed).equals(result.parameters());
    return same ? result : null;
  }

  private BenchResult measure(Experiment experiment, Consumer<String> progress) throws Exception {
    progress.accept("experiment " + experiment.name());
    BenchResult result = new ExperimentRun(experiment, targets, size, seed).run(progress);
    Map<String, Object> further = new LinkedHashMap<>(result.further());
    further.put("environment", environment);
    return new BenchResult(
        result.name(), result.parameters(), result.rows(), result.ratios(), further);
  }
}
