package org.abelian.advisor.command;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.graph.GraphFiles;
import org.abelian.advisor.partitioning.PartitioningPhase;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ./abelian advise partition}. */
@Command(name = "partition", sortOptions = false, description = "Cuts a graph into partitions.")
final class PartitionCommand implements Callable<Integer> {
  @Parameters(paramLabel = "GRAPH", description = "what `graph` wrote")
  private Path graph;

  @Mixin private CutSettings settings;
  @Mixin private OutputSettings output;

  @Override
  public Integer call() {
    try (OutputFolder folder = output.begin()) {
      Progress.phase(
          "partition",
          () ->
              PartitioningPhase.run(
                  new GraphFiles(graph), settings.options(), folder, Progress::say));
    }
    return 0;
  }
}
