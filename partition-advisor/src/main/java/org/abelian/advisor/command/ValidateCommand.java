package org.abelian.advisor.command;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.abelian.advisor.explanation.ExplanationFiles;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.validation.ValidationPhase;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ./abelian advise validate}. */
@Command(
    name = "validate",
    sortOptions = false,
    description = "Judges placements by the transactions that were held out.")
final class ValidateCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "TRACE", description = "what `trace` wrote")
  private Path trace;

  @Parameters(index = "1", paramLabel = "EXPLANATION", description = "what `explain` wrote")
  private Path explanation;

  @Mixin private ChoiceSettings settings;
  @Mixin private OutputSettings output;

  @Override
  public Integer call() {
    try (OutputFolder folder = output.begin()) {
      Progress.phase(
          "validate",
          () ->
              ValidationPhase.run(
                  new TraceFiles(trace),
                  new ExplanationFiles(explanation),
                  settings.tolerance,
                  settings.mostLoad,
                  folder));
    }
    return 0;
  }
}
