package org.abelian.workloads.command;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.abelian.workloads.hotrow.HotRowBench;
import org.abelian.workloads.hotrow.HotRowOptions;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.ResultFile;
import org.abelian.workloads.measure.ResultTable;
import picocli.CommandLine.Command;
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

  @Option(names = "--bindir", paramLabel = "FOLDER", description = "folder of pgbench")
  private String bindir;

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

  @Option(names = "--json", paramLabel = "FILE", description = "write the result there, too")
  private Path json;

  @Override
  public Integer call() throws Exception {
    String folder =
        Environment.given(bindir, "--bindir", Optional.ofNullable(System.getenv("ABELIAN_BINDIR")));
    HotRowOptions options = new HotRowOptions(clients, seconds, rounds, rows);
    BenchResult result =
        new HotRowBench(Environment.plain(url), Path.of(folder), options).run(System.err::println);
    ResultTable.print(result, System.out);
    if (json != null) {
      ResultFile.write(result, json);
    }
    return 0;
  }
}
