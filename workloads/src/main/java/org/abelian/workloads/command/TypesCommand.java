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
    TypesOptions options = new TypesOptions(clients, seconds, rounds, rows, idioms);
    TypesBench bench;
    try {
      bench = new TypesBench(Environment.plain(url), programs.path(), options);
    } catch (IllegalArgumentException wrong) {
      throw new UsageException(wrong.getMessage());
    }
    BenchResult result = bench.run(System.err::println);
    results.publish(result);
    return 0;
  }
}
