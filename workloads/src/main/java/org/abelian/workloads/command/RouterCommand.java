package org.abelian.workloads.command;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.router.RouterBench;
import org.abelian.workloads.router.RouterOptions;
import org.abelian.workloads.router.TraceScratch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the router costs. */
@Command(
    name = "router",
    mixinStandardHelpOptions = true,
    description = {
      "Single-partition SELECT and UPDATE: pgjdbc directly on a node, our driver, and pgjdbc"
          + " through",
      "our server."
    })
final class RouterCommand implements Callable<Integer> {
  @Option(names = "--direct-url", paramLabel = "URL", description = "a node, past the router")
  private String directUrl;

  @Mixin private DriverUrl url;

  @Mixin private ServerUrl serverUrl;

  @Option(names = "--clients", defaultValue = "8", description = "default: ${DEFAULT-VALUE}")
  private int clients;

  @Option(
      names = "--many",
      defaultValue = "64",
      description = "clients where there are many; 0 to leave that out; default: ${DEFAULT-VALUE}")
  private int many;

  @Option(
      names = "--seconds",
      defaultValue = "2",
      description = "of each measurement; default: ${DEFAULT-VALUE}")
  private int seconds;

  @Option(names = "--rounds", defaultValue = "5", description = "default: ${DEFAULT-VALUE}")
  private int rounds;

  @Option(names = "--rows", defaultValue = "100000", description = "default: ${DEFAULT-VALUE}")
  private int rows;

  @Mixin private WarmUpOption warmUp;

  @Option(
      names = "--trace",
      description = "also our driver while it records all transactions, in a temporary folder")
  private boolean trace;

  @Mixin private Results results;

  @Override
  public Integer call() throws Exception {
    BenchResult result;
    try (TraceScratch scratch = trace ? TraceScratch.create() : null) {
      Database driver = url.database();
      result =
          new RouterBench(
                  Environment.firstNode(directUrl),
                  driver,
                  serverUrl.database(),
                  scratch == null ? null : scratch.tracing(driver),
                  new RouterOptions(
                      clients, many, Duration.ofSeconds(seconds), rounds, rows, warmUp.time()),
                  Environment::serverNanos)
              .run(System.err::println);
    }
    results.publish(result);
    System.out.printf("%nper statement: %s%n", result.further().get("per_statement"));
    return 0;
  }
}
