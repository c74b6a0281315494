package org.abelian.workloads.command;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.queries.QueryBench;
import org.abelian.workloads.queries.QueryOptions;
import org.abelian.workloads.queries.QueryOutcome;
import org.abelian.workloads.queries.QueryTable;
import org.abelian.workloads.queries.Suite;
import org.abelian.workloads.queries.ch.ChSuite;
import org.abelian.workloads.queries.tpch.TpchSuite;
import org.abelian.workloads.tpcc.schema.ColumnKind;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Analytical queries. */
@Command(
    name = "queries",
    mixinStandardHelpOptions = true,
    description =
        "The queries of TPC-H and CH-benCHmark on the cluster and on one PostgreSQL. Every answer"
            + " is compared. The exit status is 1 when a query fails.")
final class QueriesCommand implements Callable<Integer> {
  /** Which queries. */
  enum Benchmark {
    TPCH,
    CH
  }

  @Mixin private PlainUrl plainUrl;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "the cluster; default: the local one through the driver")
  private String url;

  @Option(names = "--server", description = "the local cluster through the router server")
  private boolean server;

  @Option(
      names = "--scale",
      defaultValue = "0.1",
      description = "1 means 6,000,000 lineitems, and 20 warehouses; default: ${DEFAULT-VALUE}")
  private double scale;

  @Option(names = "--only", description = "${COMPLETION-CANDIDATES}; default: both")
  private Benchmark only;

  @Option(
      names = "--runs",
      defaultValue = "3",
      description = "timed, after one that compares; default: ${DEFAULT-VALUE}")
  private int runs;

  @Option(
      names = "--timeout",
      defaultValue = "120",
      description = "seconds for each query; default: ${DEFAULT-VALUE}")
  private int timeout;

  @Option(
      names = "--columns",
      defaultValue = "PLAIN",
      description =
          "${COMPLETION-CANDIDATES}: types of TPC-C's totals on the cluster; default:"
              + " ${DEFAULT-VALUE}")
  private ColumnKind columns;

  @Option(names = "--seed", defaultValue = "1", description = "default: ${DEFAULT-VALUE}")
  private long seed;

  @Option(names = "--reuse", description = "run on what an earlier benchmark has loaded")
  private boolean reuse;

  @Mixin private Results results = new Results();

  @Override
  public Integer call() throws Exception {
    Database cluster = server ? Environment.server(url) : Environment.driver(url);
    QueryBench bench =
        new QueryBench(
            plainUrl.database(),
            cluster,
            suites(),
            new QueryOptions(runs, Duration.ofSeconds(timeout), reuse));
    List<QueryOutcome> outcomes = bench.run(System.err::println);
    QueryTable.print(outcomes, System.out);
    results.publish(bench.result(outcomes, parameters()));
    return outcomes.stream().anyMatch(QueryOutcome::failed) ? 1 : 0;
  }

  private List<Suite> suites() {
    List<Suite> suites = new ArrayList<>();
    try {
      if (only != Benchmark.TPCH) {
        suites.add(new ChSuite(scale, columns, seed));
      }
      if (only != Benchmark.CH) {
        suites.add(new TpchSuite(scale, seed));
      }
    } catch (IllegalArgumentException tooSmall) {
      throw new UsageException(tooSmall.getMessage());
    }
    return suites;
  }

  private Map<String, Object> parameters() {
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("scale", scale);
    parameters.put("runs", runs);
    parameters.put("timeout_s", timeout);
    parameters.put("columns", columns.name().toLowerCase(Locale.ROOT));
    parameters.put("seed", seed);
    parameters.put("through", server ? "server" : "driver");
    return parameters;
  }
}
