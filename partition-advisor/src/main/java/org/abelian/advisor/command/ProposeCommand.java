package org.abelian.advisor.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.abelian.advisor.cluster.Cluster;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.proposals.ProposalsPhase;
import org.abelian.advisor.trace.TraceFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./abelian advise propose}. */
@Command(
    name = "propose",
    sortOptions = false,
    description =
        "Compares the present placement of a cluster with a trace, and proposes single keys that"
            + " should lie elsewhere.")
final class ProposeCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "TRACE", description = "what `trace` wrote")
  private Path trace;

  @Option(
      names = "--cluster",
      required = true,
      paramLabel = "URL",
      description = "JDBC URL of a node or router of the cluster")
  private String url;

  @Option(
      names = "--most-load",
      defaultValue = "1.25",
      description =
          "greatest over mean load that is no reason to move anything (default: ${DEFAULT-VALUE})")
  private double mostLoad;

  @Mixin private OutputSettings output;

  @Override
  public Integer call() throws IOException {
    try (OutputFolder folder = output.begin()) {
      Path catalog = Files.writeString(folder.file("catalog.json"), new Cluster(url).catalogText());
      ProposalsPhase.run(new TraceFiles(trace), catalog, mostLoad, folder);
    }
    System.out.print(Files.readString(output.output.resolve("proposals.txt")));
    return 0;
  }
}
