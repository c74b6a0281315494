package org.abelian.advisor.command;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.graph.GraphDescription;
import org.abelian.advisor.graph.GraphPhase;
import org.abelian.advisor.trace.TraceFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ./abelian advise graph}. */
@Command(name = "graph", sortOptions = false, description = "Makes the graph of a trace.")
final class GraphCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", description = "what `trace` wrote")
  private Path trace;

  @Mixin private GraphSettings settings;
  @Mixin private OutputSettings output;

  @Override
  public Integer call() {
    try (OutputFolder folder = output.begin()) {
      GraphDescription made =
          Progress.phase(
              "graph", () -> GraphPhase.run(new TraceFiles(trace), settings.options(), folder));
      System.out.printf(
          "%d transactions, %d tuples in %d nodes, %d vertices, %d edges%n",
          made.transactions(), made.tuples(), made.nodes(), made.vertices(), made.edges());
      made.notes().forEach(System.out::println);
    }
    return 0;
  }
}
