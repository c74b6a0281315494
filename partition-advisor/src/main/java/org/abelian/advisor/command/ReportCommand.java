package org.abelian.advisor.command;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.abelian.advisor.explanation.ExplanationFiles;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.report.ReportPhase;
import org.abelian.advisor.trace.TraceFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ./abelian advise report}. */
@Command(
    name = "report",
    sortOptions = false,
    description = "Writes the advice: summary, SQL, HTML and JSON.")
final class ReportCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "TRACE", description = "what `trace` wrote")
  private Path trace;

  @Parameters(index = "1", paramLabel = "EXPLANATION", description = "what `explain` wrote")
  private Path explanation;

  @Parameters(index = "2", paramLabel = "VALIDATION", description = "what `validate` wrote")
  private Path validation;

  @Mixin private OutputSettings output;

  @Override
  public Integer call() {
    try (OutputFolder folder = output.begin()) {
      System.out.print(
          ReportPhase.run(
              new TraceFiles(trace), new ExplanationFiles(explanation), validation, folder));
    }
    return 0;
  }
}
