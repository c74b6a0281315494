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
  @Mixin private PgbenchLoad load;

  @Option(names = "--rows", defaultValue = "100000", description = "default: ${DEFAULT-VALUE}")
  private int rows;

  @Mixin private Results results;

  @Override
  public Integer call() throws Exception {
    HotRowOptions options = new HotRowOptions(load.clients(), load.seconds(), load.rounds(), rows);
    BenchResult result =
        new HotRowBench(load.node(), load.programs(), options).run(System.err::println);
    results.publish(result);
    return 0;
  }
}
