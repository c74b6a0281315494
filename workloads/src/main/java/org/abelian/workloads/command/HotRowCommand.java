package org.abelian.workloads.command;

import java.util.concurrent.Callable;
import org.abelian.workloads.hotrow.HotRowBench;
import org.abelian.workloads.hotrow.HotRowOptions;
import org.abelian.workloads.measure.BenchResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The hot row: bigint against abelian.counter. */
@Command(
    name = "hotrow",
    mixinStandardHelpOptions = true,
    description =
        "Many clients add to one row, and read: bigint against abelian.counter, on one node.")
final class HotRowCommand implements Callable<Integer> {
  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "jdbc:postgresql: URL of a node with the extension")
  private String url;

  @Mixin private PgbenchFolder programs;

  @Option(names = "--clients", defaultValue = "64", description = "default: ${DEFAULT-VALUE}")
  private int clients;

  @Option(
      names = "--seconds",
      defaultValue = "5",
      description = "of each measurement; default: ${DEFAULT-VALUE}")
  private int seconds;

  @Option(names = "--rounds", defaultValue = "3", description = "default: ${DEFAULT-VALUE}")
  private int rounds;

  @Option(names = "--rows", defaultValue = "100000", description = "default: ${DEFAULT-VALUE}")
  private int rows;

  @Mixin private Results results;

  @Override
  public Integer call() throws Exception {
    HotRowOptions options = new HotRowOptions(clients, seconds, rounds, rows);
    BenchResult result =
        new HotRowBench(Environment.plain(url), programs.path(), options).run(System.err::println);
    results.publish(result);
    return 0;
  }
}
