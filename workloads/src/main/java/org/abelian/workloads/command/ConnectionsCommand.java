package org.abelian.workloads.command;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.router.ConnectionsBench;
import org.abelian.workloads.router.ConnectionsOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What idle sessions cost the busy ones, and how much memory. */
@Command(
    name = "connections",
    mixinStandardHelpOptions = true,
    description =
        "Busy sessions of our server alone and beside many idle ones, and what an idle one takes.")
final class ConnectionsCommand implements Callable<Integer> {
  @Mixin private ServerUrl serverUrl;

  @Option(
      names = "--plain-url",
      paramLabel = "URL",
      description = "one PostgreSQL, which must let in all idle sessions")
  private String plainUrl;

  @Option(names = "--busy", defaultValue = "64", description = "default: ${DEFAULT-VALUE}")
  private int busy;

  @Option(names = "--idle", defaultValue = "1000", description = "default: ${DEFAULT-VALUE}")
  private int idle;

  @Option(
      names = "--seconds",
      defaultValue = "3",
      description = "of each measurement; default: ${DEFAULT-VALUE}")
  private int seconds;

  @Option(names = "--rounds", defaultValue = "5", description = "default: ${DEFAULT-VALUE}")
  private int rounds;

  @Option(names = "--rows", defaultValue = "30000", description = "default: ${DEFAULT-VALUE}")
  private int rows;

  @Mixin private WarmUpOption warmUp;

  @Mixin private Results results;

  @Override
  public Integer call() throws Exception {
    BenchResult result =
        new ConnectionsBench(
                serverUrl.database(),
                Environment.nodes(),
                Environment.plain(plainUrl),
                Environment.serverPid().orElse(null),
                new ConnectionsOptions(
                    busy, idle, Duration.ofSeconds(seconds), rounds, rows, warmUp.time()))
            .run(System.err::println);
    results.publish(result);
    System.out.printf("%nan idle session: %s%n", result.further().get("idle_session"));
    return 0;
  }
}
