package org.abelian.workloads.command;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.micro.MicroBench;
import org.abelian.workloads.micro.MicroOptions;
import org.abelian.workloads.micro.Objects;
import org.abelian.workloads.report.MicroReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Reads beside operations: locks, phases and no transactions. */
@Command(
    name = "micro",
    mixinStandardHelpOptions = true,
    description =
        "Transactions of four reads and operations on objects of skewed popularity, on one node:"
            + " row locks, serializable, abstract locks, abstract locks with phases, no"
            + " transactions.")
final class MicroCommand implements Callable<Integer> {
  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "jdbc:postgresql: URL of a node with the extension")
  private String url;

  @Mixin private PgbenchFolder programs;

  @Option(
      names = "--objects",
      split = ",",
      defaultValue = "SET,COUNTER",
      description =
          "${COMPLETION-CANDIDATES}; the ratios of the first have no prefix; default:"
              + " ${DEFAULT-VALUE}")
  private List<Objects> objects;

  @Option(names = "--clients", defaultValue = "64", description = "default: ${DEFAULT-VALUE}")
  private int clients;

  @Option(
      names = "--seconds",
      defaultValue = "3",
      description = "of each measurement; default: ${DEFAULT-VALUE}")
  private int seconds;

  @Option(names = "--rounds", defaultValue = "3", description = "default: ${DEFAULT-VALUE}")
  private int rounds;

  @Option(names = "--size", defaultValue = "10000", description = "default: ${DEFAULT-VALUE}")
  private int size;

  @Option(
      names = "--mixes",
      split = ",",
      paramLabel = "PERCENT",
      defaultValue = "0,25,50,75,100",
      description = "shares of operations, at the greatest skew; default: ${DEFAULT-VALUE}")
  private List<Integer> mixes;

  @Option(
      names = "--skews",
      split = ",",
      paramLabel = "ZIPF",
      defaultValue = "0,0.5,1,1.25,1.5",
      description = "Zipf exponents, at half operations, half reads; default: ${DEFAULT-VALUE}")
  private List<Double> skews;

  @Option(
      names = "--round-trip",
      paramLabel = "MICROSECONDS",
      defaultValue = "150",
      description =
          "how long a client waits after each statement, as for a network; default:"
              + " ${DEFAULT-VALUE}")
  private int roundTrip;

  @Mixin private Results results;

  @Option(names = "--output", paramLabel = "FILE", description = "write a page with pictures there")
  private Path page;

  @Override
  public Integer call() throws Exception {
    MicroOptions options =
        new MicroOptions(objects, clients, seconds, rounds, size, mixes, skews, roundTrip);
    BenchResult result =
        new MicroBench(Environment.plain(url), programs.path(), options).run(System.err::println);
    results.publish(result);
    if (page != null) {
      MicroReport.write(result, page);
    }
    return 0;
  }
}
