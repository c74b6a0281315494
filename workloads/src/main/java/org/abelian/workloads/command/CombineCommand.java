package org.abelian.workloads.command;

import java.util.concurrent.Callable;
import org.abelian.workloads.combine.CombineBench;
import org.abelian.workloads.combine.CombineOptions;
import org.abelian.workloads.measure.BenchResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** One hot counter behind the router, with combining and without. */
@Command(
    name = "combine",
    mixinStandardHelpOptions = true,
    description =
        "Many sessions add to one counter through the router server, with combining and without.")
final class CombineCommand implements Callable<Integer> {
  @Mixin private ServerUrl serverUrl;

  @Mixin private PgbenchFolder programs;

  @Option(names = "--clients", defaultValue = "256", description = "default: ${DEFAULT-VALUE}")
  private int clients;

  @Option(
      names = "--few",
      defaultValue = "8",
      description = "sessions where there are few; default: ${DEFAULT-VALUE}")
  private int few;

  @Option(
      names = "--seconds",
      defaultValue = "10",
      description = "of each measurement, connecting included; default: ${DEFAULT-VALUE}")
  private int seconds;

  @Option(names = "--rounds", defaultValue = "3", description = "default: ${DEFAULT-VALUE}")
  private int rounds;

  @Mixin private Results results;

  @Override
  public Integer call() throws Exception {
    BenchResult result =
        new CombineBench(
                serverUrl.database(),
                Environment.nodes(),
                programs.path(),
                new CombineOptions(clients, few, seconds, rounds))
            .run(System.err::println);
    results.publish(result);
    return 0;
  }
}
