package org.abelian.workloads.command;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.abelian.workloads.commit.CommitBench;
import org.abelian.workloads.commit.CommitOptions;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.report.CommitReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the commit classes cost. */
@Command(
    name = "commit",
    mixinStandardHelpOptions = true,
    description = {
      "Two additions in one transaction, 0 to 100 %% of them on two nodes, uniform and hot keys,",
      "with 0 and 1 ms added to each round trip, in each commit class."
    })
final class CommitCommand implements Callable<Integer> {
  @Mixin private DriverUrl url;

  @Option(names = "--clients", defaultValue = "32", description = "default: ${DEFAULT-VALUE}")
  private int clients;

  @Option(
      names = "--seconds",
      defaultValue = "2",
      description = "of each measurement; default: ${DEFAULT-VALUE}")
  private int seconds;

  @Option(names = "--rounds", defaultValue = "3", description = "default: ${DEFAULT-VALUE}")
  private int rounds;

  @Option(names = "--rows", defaultValue = "30000", description = "default: ${DEFAULT-VALUE}")
  private int rows;

  @Option(names = "--brief", description = "only what the ratios need")
  private boolean brief;

  @Mixin private WarmUpOption warmUp;

  @Option(
      names = "--only",
      paramLabel = "REGEX",
      defaultValue = "",
      description = "only variants whose name has such a part, and their ratios")
  private Pattern only;

  @Mixin private Results results;

  @Option(names = "--pictures", paramLabel = "FILE", description = "write a page with pictures")
  private Path pictures;

  @Override
  public Integer call() throws Exception {
    CommitBench bench =
        new CommitBench(
            Environment.nodes(),
            url.database(),
            new CommitOptions(
                clients, Duration.ofSeconds(seconds), rounds, rows, brief, warmUp.time(), only));
    BenchResult result = bench.run(System.err::println);
    results.publish(result);
    if (pictures != null) {
      Files.writeString(pictures, CommitReport.html(result));
    }
    return 0;
  }
}
