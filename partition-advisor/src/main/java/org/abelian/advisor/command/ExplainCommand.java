package org.abelian.advisor.command;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.abelian.advisor.explanation.ExplanationPhase;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.partitioning.PartitioningFiles;
import org.abelian.advisor.trace.TraceFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ./abelian advise explain}. */
@Command(
    name = "explain",
    sortOptions = false,
    description = "Finds rules for a partitioning, and simpler placements to compare.")
final class ExplainCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "TRACE", description = "what `trace` wrote")
  private Path trace;

  @Parameters(index = "1", paramLabel = "PARTITIONING", description = "what `partition` wrote")
  private Path partitioning;

  @Mixin private OutputSettings output;

  @Override
  public Integer call() {
    try (OutputFolder folder = output.begin()) {
      Progress.phase(
          "explain",
          () ->
              ExplanationPhase.run(
                  new TraceFiles(trace), new PartitioningFiles(partitioning), folder));
    }
    return 0;
  }
}
