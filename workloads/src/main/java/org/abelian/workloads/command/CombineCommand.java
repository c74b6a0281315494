package org.abelian.workloads.command;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.abelian.workloads.combine.CombineBench;
import org.abelian.workloads.combine.CombineOptions;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.ResultFile;
import org.abelian.workloads.measure.ResultTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** One hot counter behind the router, with combining and without. */
@Command(
    name = "combine",
    mixinStandardHelpOptions = true,
    description =
        "Many sessions add to one counter through the router server, with combining and without.")
final class CombineCommand implements Callable<Integer> {
  @Option(names = "--server-url", paramLabel = "URL", description = "the router server")
  private String serverUrl;

  @Option(names = "--bindir", paramLabel = "FOLDER", description = "folder of pgbench")
  private String bindir;

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

  @Option(names = "--json", paramLabel = "FILE", description = "write the result there, too")
  private Path json;

  @Override
  public Integer call() throws Exception {
    String folder =
        Environment.given(bindir, "--bindir", Optional.ofNullable(System.getenv("ABELIAN_BINDIR")));
    BenchResult result =
        new CombineBench(
                Environment.server(serverUrl),
                Environment.nodes(),
                Path.of(folder),
                new CombineOptions(clients, few, seconds, rounds))
            .run(System.err::println);
    ResultTable.print(result, System.out);
    if (json != null) {
      ResultFile.write(result, json);
    }
    return 0;
  }
}
