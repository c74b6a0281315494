package org.abelian.workloads.command;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.abelian.workloads.client.Mode;
import org.abelian.workloads.client.Pace;
import org.abelian.workloads.client.Tally;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.Interleaving;
import org.abelian.workloads.measure.Measurements;
import org.abelian.workloads.measure.Variant;
import org.abelian.workloads.workload.ClientOptions;
import org.abelian.workloads.workload.Clients;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Finding;
import org.abelian.workloads.workload.Workload;
import org.abelian.workloads.workload.WorkloadTables;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** One of the published workloads on one database. */
@Command(
    name = "workload",
    mixinStandardHelpOptions = true,
    description =
        "Loads and runs one of the published workloads on any database, and checks the rows"
            + " afterwards; ./abelian evaluate compares them.")
final class WorkloadCommand implements Callable<Integer> {
  @Parameters(paramLabel = "WORKLOAD", description = "${COMPLETION-CANDIDATES}")
  private Published published;

  @Mixin private WorkloadSize workloadSize;

  @Mixin private Connect connect;

  @Option(
      names = "--columns",
      defaultValue = "ABELIAN",
      description = "${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}")
  private Columns columns;

  @Option(
      names = "--mode",
      defaultValue = "READ_COMMITTED",
      description = "${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}")
  private Mode mode;

  @Option(
      names = "--place",
      negatable = true,
      description = "place the tables over a cluster's nodes; default: for jdbc:abelian: URLs")
  private Boolean place;

  @Option(names = "--clients", defaultValue = "64", description = "default: ${DEFAULT-VALUE}")
  private int clients;

  @Option(
      names = "--seconds",
      defaultValue = "10",
      description = "of each measurement; default: ${DEFAULT-VALUE}")
  private int seconds;

  @Option(names = "--rounds", defaultValue = "1", description = "default: ${DEFAULT-VALUE}")
  private int rounds;

  @Option(
      names = "--round-trip",
      paramLabel = "MICROSECONDS",
      defaultValue = "0",
      description = "waited for after each statement, as for a network; default: ${DEFAULT-VALUE}")
  private int roundTrip;

  @Option(
      names = "--think",
      paramLabel = "MILLISECONDS",
      defaultValue = "0",
      description = "mean think time between two transactions; default: ${DEFAULT-VALUE}")
  private int think;

  @Option(
      names = "--rate",
      defaultValue = "0",
      description =
          "transactions per second that each client begins, late or not; latency counts from when"
              + " one was due; default: as many as it can")
  private double rate;

  @Option(names = "--seed", defaultValue = "1", description = "default: ${DEFAULT-VALUE}")
  private int seed;

  @Mixin private Results results;

  @Override
  public Integer call() throws Exception {
    boolean placed = place == null ? connect.database().url().startsWith("jdbc:abelian:") : place;
    WorkloadTables tables =
        new WorkloadTables(published.make(workloadSize, columns), connect.database(), placed);
    if (mode == Mode.PROCEDURE && tables.workload().procedures().isEmpty()) {
      throw new UsageException(tables.workload().name() + " has no procedures");
    }
    Tally tally = new Tally();
    try {
      System.err.println("loading " + tables.workload().description());
      tables.create(seed);
      Measurements measured =
          new Interleaving(List.of(variant(tables, tally)), rounds).run(System.err::println);
      List<Finding> findings = tables.check(tally.committed(), mode != Mode.AUTOCOMMIT);
      results.publish(result(tables.workload(), measured, tally, findings));
      findings.forEach(WorkloadCommand::print);
      return findings.stream().allMatch(finding -> finding.violations() == 0) ? 0 : 1;
    } finally {
      tables.drop();
    }
  }

  private Variant variant(WorkloadTables tables, Tally tally) {
    ClientOptions options =
        new ClientOptions(
            clients,
            mode,
            new Pace(Duration.ofMillis(think), rate),
            Duration.ofNanos(roundTrip * 1000L));
    return new Variant(
        "%s, %s".formatted(tables.workload().name(), mode.label()),
        clients,
        round ->
            Clients.of(tables, options, tally, seed + (long) round * clients)
                .measure(Duration.ofSeconds(seconds)));
  }

  private BenchResult result(
      Workload workload, Measurements measured, Tally tally, List<Finding> findings) {
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("description", workload.description());
    parameters.put("columns", columns.label());
    parameters.put("mode", mode.name().toLowerCase(Locale.ROOT));
    parameters.put("seconds", seconds);
    parameters.put("rounds", rounds);
    parameters.put("round_trip_us", roundTrip);
    parameters.put("think_ms", think);
    parameters.put("rate", rate);
    parameters.put("seed", seed);
    Map<String, Object> further = new LinkedHashMap<>();
    further.put("retries", tally.retries());
    further.put("completed", tally.completed());
    further.put("failed", tally.failed());
    further.put("consistency", findings);
    return new BenchResult(workload.name(), parameters, measured.rows(), Map.of(), further);
  }

  private static void print(Finding finding) {
    System.out.printf(
        "%-9s %s%n", finding.violations() == 0 ? "holds" : "VIOLATED", finding.claim());
  }
}
