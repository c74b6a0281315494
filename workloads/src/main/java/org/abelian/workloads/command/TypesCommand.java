package org.abelian.workloads.command;

import java.util.List;
import java.util.concurrent.Callable;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.types.TypesBench;
import org.abelian.workloads.types.TypesOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Idioms over plain columns against the column types. */
@Command(
    name = "types",
    mixinStandardHelpOptions = true,
    description =
        "Idioms of applications on one object: plain SQL against the column types, on one node.")
final class TypesCommand implements Callable<Integer> {
  @Mixin private PgbenchLoad load;

  @Option(
      names = "--rows",
      defaultValue = "10000",
      description = "among which clients choose where nobody contends; default: ${DEFAULT-VALUE}")
  private int rows;

  @Option(
      names = "--idiom",
      paramLabel = "NAME",
      description = "one to be measured, may be repeated; default: all")
  private List<String> idioms = List.of();

  @Mixin private Results results;

  @Override
  public Integer call() throws Exception {
    TypesOptions options =
        new TypesOptions(load.clients(), load.seconds(), load.rounds(), rows, idioms);
    TypesBench bench;
    try {
      bench = new TypesBench(load.node(), load.programs(), options);
    } catch (IllegalArgumentException wrong) {
      throw new UsageException(wrong.getMessage());
    }
    BenchResult result = bench.run(System.err::println);
    results.publish(result);
    return 0;
  }
}
