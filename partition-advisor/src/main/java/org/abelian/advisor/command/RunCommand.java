package org.abelian.advisor.command;

import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.abelian.advisor.explanation.ExplanationFiles;
import org.abelian.advisor.explanation.ExplanationPhase;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.graph.GraphFiles;
import org.abelian.advisor.graph.GraphOptions;
import org.abelian.advisor.graph.GraphPhase;
import org.abelian.advisor.partitioning.PartitioningFiles;
import org.abelian.advisor.partitioning.PartitioningPhase;
import org.abelian.advisor.report.ReportPhase;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.trace.log.LogTrace;
import org.abelian.advisor.validation.Validation;
import org.abelian.advisor.validation.ValidationPhase;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./abelian advise run}. */
@Command(
    name = "run",
    sortOptions = false,
    description = "All phases, from a server's log or from a trace to the advice.")
final class RunCommand implements Callable<Integer> {
  @Option(names = "--trace", paramLabel = "DIR", description = "a trace, in place of a log")
  private Path trace;

  @Option(
      names = "--grow",
      description =
          "begin with an eighth of the transactions in the graph, and double them until the advice"
              + " gets no better")
  private boolean grow;

  @Mixin private LogSettings log;
  @Mixin private GraphSettings graph;
  @Mixin private CutSettings cut;
  @Mixin private ChoiceSettings choice;

  @Option(
      names = {"-o", "--output"},
      defaultValue = "advice",
      paramLabel = "DIR",
      description =
          "a folder for each phase's folder; what this command wrote before is replaced (default:"
              + " ${DEFAULT-VALUE})")
  private Path output;

  @Override
  public Integer call() {
    Path traced = trace;
    if (traced == null) {
      traced = output.resolve("trace");
      try (OutputFolder folder = begin("trace")) {
        Progress.phase("trace", () -> LogTrace.run(log.options(), folder));
      }
    }
    TraceFiles files = new TraceFiles(traced);
    if (grow) {
      advisePartByPart(files);
    } else {
      advise(files, graph.options());
    }
    try (OutputFolder folder = begin("report")) {
      System.out.print(
          ReportPhase.run(
              files, new ExplanationFiles(at("explanation")), at("validation"), folder));
    }
    System.out.println("Written: " + at("report"));
    return 0;
  }

  /** Doubles the transactions of the graph until that makes the advice no better. */
  private void advisePartByPart(TraceFiles files) {
    double before = 1;
    for (double part = 1 / 8.0; part <= 1; part *= 2) {
      Validation found = advise(files, graph.options().withTransactions(part));
      double now = found.judgement(found.chosen()).distributed();
      Progress.say(
          String.format(
              Locale.ROOT,
              "from %.1f%% of transactions: %s, %.1f%% distributed",
              100 * part,
              found.chosen(),
              100 * now));
      if (now > before - choice.tolerance) {
        return;
      }
      before = now;
    }
  }

  private Validation advise(TraceFiles files, GraphOptions options) {
    try (OutputFolder folder = begin("graph")) {
      Progress.phase("graph", () -> GraphPhase.run(files, options, folder))
          .notes()
          .forEach(Progress::say);
    }
    try (OutputFolder folder = begin("partitioning")) {
      Progress.phase(
          "partition",
          () ->
              PartitioningPhase.run(
                  new GraphFiles(at("graph")), cut.options(), folder, Progress::say));
    }
    try (OutputFolder folder = begin("explanation")) {
      Progress.phase(
          "explain",
          () -> ExplanationPhase.run(files, new PartitioningFiles(at("partitioning")), folder));
    }
    try (OutputFolder folder = begin("validation")) {
      return Progress.phase(
          "validate",
          () ->
              ValidationPhase.run(
                  files,
                  new ExplanationFiles(at("explanation")),
                  choice.tolerance,
                  choice.mostLoad,
                  folder));
    }
  }

  private OutputFolder begin(String phase) {
    return OutputFolder.begin(at(phase));
  }

  private Path at(String phase) {
    return output.resolve(phase);
  }
}
