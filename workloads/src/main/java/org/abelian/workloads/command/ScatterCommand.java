package org.abelian.workloads.command;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.scatter.ScatterBench;
import org.abelian.workloads.scatter.ScatterOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Reads of several nodes. */
@Command(
    name = "scatter",
    mixinStandardHelpOptions = true,
    description = "Reads of all nodes against one PostgreSQL, and beside transfers between nodes.")
final class ScatterCommand implements Callable<Integer> {
  @Mixin private PlainUrl plainUrl;

  @Mixin private DriverUrl url;

  @Option(names = "--clients", defaultValue = "8", description = "default: ${DEFAULT-VALUE}")
  private int clients;

  @Option(
      names = "--many",
      defaultValue = "64",
      description = "clients where there are many; default: ${DEFAULT-VALUE}")
  private int many;

  @Option(
      names = "--writers",
      defaultValue = "8",
      description = "beside two readers; default: ${DEFAULT-VALUE}")
  private int writers;

  @Option(
      names = "--seconds",
      defaultValue = "1",
      description = "of each measurement; default: ${DEFAULT-VALUE}")
  private int seconds;

  @Option(names = "--rounds", defaultValue = "2", description = "default: ${DEFAULT-VALUE}")
  private int rounds;

  @Option(names = "--rows", defaultValue = "10000", description = "default: ${DEFAULT-VALUE}")
  private int rows;

  @Mixin private WarmUpOption warmUp;

  @Mixin private Results results;

  @Override
  public Integer call() throws Exception {
    BenchResult result =
        new ScatterBench(
                plainUrl.database(),
                url.database(),
                Environment.nodes(),
                new ScatterOptions(
                    clients,
                    many,
                    writers,
                    Duration.ofSeconds(seconds),
                    rounds,
                    rows,
                    warmUp.time()))
            .run(System.err::println);
    results.publish(result);
    System.out.printf("%nfailures: %s%n", result.further().get("failures_by_sqlstate"));
    return 0;
  }
}
