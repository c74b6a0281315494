package org.abelian.advisor.benchmark;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.abelian.advisor.explanation.Explanation;
import org.abelian.advisor.explanation.ExplanationFiles;
import org.abelian.advisor.files.JsonFile;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.sample.Manual;
import org.abelian.advisor.sample.Sample;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.validation.Validation;
import org.abelian.advisor.validation.ValidationPhase;

/** Draws traces, has the phases advise, and compares with what the literature does by hand. */
public final class AdvisorBench {
  private final Path folder;
  private final long seed;
  private final Consumer<String> progress;

  /**
   * A benchmark.
   *
   * @param folder for traces and all that comes of them
   * @param seed of the traces
   * @param progress told of each step
   */
  public AdvisorBench(Path folder, long seed, Consumer<String> progress) {
    this.folder = folder;
    this.seed = seed;
    this.progress = progress;
  }

  /** Runs workloads, by name. */
  public Map<String, WorkloadResult> run(List<BenchedWorkload> workloads) {
    Map<String, WorkloadResult> results = new LinkedHashMap<>();
    for (BenchedWorkload workload : workloads) {
      results.put(workload.name(), run(workload));
    }
    return results;
  }

  private WorkloadResult run(BenchedWorkload workload) {
    Path here = folder.resolve(workload.name());
    TraceFiles trace = new TraceFiles(here.resolve("trace"));
    progress.accept(workload.kind().title() + ": drawing " + workload.transactions());
    Sample sample = workload.kind().create(workload.scale(), seed);
    try (OutputFolder output = OutputFolder.begin(trace.folder())) {
      sample.write(output, workload.transactions(), workload.kind().title());
    }
    List<PhaseCost> phases = phases(workload, here);
    ExplanationFiles explained = new ExplanationFiles(here.resolve("explanation"));
    Explanation explanation = explained.explanation();
    Validation validation =
        JsonFile.read(ValidationPhase.file(here.resolve("validation")), Validation.class);
    Manual manual = sample.manual(workload.nodes());
    return new WorkloadResult(
        workload.kind().title(),
        workload.nodes(),
        workload.transactions(),
        validation.transactions(),
        validation.judgement(validation.chosen()),
        validation.judgement("primary-key"),
        ValidationPhase.judge(
            trace,
            explanation,
            new Candidate("manual", "by hand", Candidate.Kind.PRESENT, manual.tables()),
            manual.lookups()),
        phases);
  }

  private List<PhaseCost> phases(BenchedWorkload workload, Path here) {
    String trace = here.resolve("trace").toString();
    String explanation = here.resolve("explanation").toString();
    List<String[]> commands =
        List.of(
            new String[] {
              "graph", trace, "--tuples", "" + workload.tuples(), "-o", at(here, "graph")
            },
            new String[] {
              "partition",
              at(here, "graph"),
              "-n",
              "" + workload.nodes(),
              "-o",
              at(here, "partitioning")
            },
            new String[] {"explain", trace, at(here, "partitioning"), "-o", explanation},
            new String[] {"validate", trace, explanation, "-o", at(here, "validation")},
            new String[] {
              "report", trace, explanation, at(here, "validation"), "-o", at(here, "report")
            });
    List<PhaseCost> phases = new ArrayList<>();
    for (String[] command : commands) {
      progress.accept(workload.kind().title() + ": " + command[0]);
      phases.add(PhaseProcess.run(here.resolve(command[0] + ".log"), command));
    }
    return phases;
  }

  private static String at(Path here, String phase) {
    return here.resolve(phase).toString();
  }
}
