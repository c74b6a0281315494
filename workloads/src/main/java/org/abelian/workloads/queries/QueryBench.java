package org.abelian.workloads.queries;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;

/**
 * Every query of every suite on a cluster and on one PostgreSQL, by one client. First all answers
 * are compared, then all queries are timed in rounds, the sides of each one after the other. The
 * cluster is two sides: as it is, and without planned exchanges.
 */
public final class QueryBench {
  /**
   * One node evaluates joins, subqueries and aggregates: always right, and what planning must beat.
   */
  private static final String[] FALLBACK = {
    "SET abelian.plan_exchanges = off", "SET abelian.max_exchange_bytes = '1GB'"
  };

  private final Database plain;
  private final Database cluster;
  private final List<Suite> suites;
  private final QueryOptions options;

  /**
   * @param plain one PostgreSQL
   * @param cluster through a router
   */
  public QueryBench(Database plain, Database cluster, List<Suite> suites, QueryOptions options) {
    this.plain = plain;
    this.cluster = cluster;
    this.suites = List.copyOf(suites);
    this.options = options;
  }

  /**
   * Loads, unless what is there is to be used, compares and measures. The tables stay.
   *
   * @param progress told a line about each step
   */
  public List<QueryOutcome> run(Consumer<String> progress)
      throws IOException, SQLException, InterruptedException {
    List<QueryOutcome> outcomes = new ArrayList<>();
    for (Suite suite : suites) {
      QueryTables alone = new QueryTables(suite, plain, false);
      QueryTables divided = new QueryTables(suite, cluster, true);
      if (options.reuse()) {
        alone.requireLoaded();
        divided.requireLoaded();
      } else {
        alone.create(progress);
        divided.create(progress);
      }
      try (QuerySession one = new QuerySession(alone.database(), options.timeout());
          QuerySession many = new QuerySession(divided.database(), options.timeout());
          QuerySession gathering =
              new QuerySession(divided.database(), options.timeout(), FALLBACK)) {
        outcomes.addAll(run(suite, new QueryTrial.Sides(one, many, gathering), progress));
      }
    }
    return outcomes;
  }

  private List<QueryOutcome> run(Suite suite, QueryTrial.Sides sides, Consumer<String> progress)
      throws IOException {
    List<QueryTrial> trials = new ArrayList<>();
    for (Query query : Query.of(suite)) {
      QueryTrial trial = new QueryTrial(suite.name(), query, sides);
      trial.compare();
      progress.accept("  compared " + describe(trial.outcome()));
      trials.add(trial);
    }
    for (int round = 0; round < options.runs(); round++) {
      progress.accept("  %s, round %d of %d".formatted(suite.name(), round + 1, options.runs()));
      for (QueryTrial trial : trials) {
        trial.time(round);
      }
    }
    return trials.stream().map(QueryTrial::outcome).toList();
  }

  private static String describe(QueryOutcome outcome) {
    return outcome.name() + (outcome.failed() ? ": " + outcome.error() : "");
  }

  /** Removes the tables on both sides. */
  public void drop() throws SQLException {
    for (Suite suite : suites) {
      new QueryTables(suite, plain, false).drop();
      new QueryTables(suite, cluster, true).drop();
    }
  }

  /** The outcomes as a result, with the ratios of each suite. */
  public BenchResult result(List<QueryOutcome> outcomes, Map<String, Object> parameters) {
    Map<String, Double> ratios = new LinkedHashMap<>();
    for (Suite suite : suites) {
      List<Double> all =
          outcomes.stream()
              .filter(outcome -> outcome.suite().equals(suite.name()) && outcome.ratio() != null)
              .map(QueryOutcome::ratio)
              .toList();
      if (!all.isEmpty()) {
        ratios.put(suite.name() + "_over_plain", geometricMean(all));
      }
    }
    outcomes.stream()
        .filter(outcome -> outcome.ratio() != null)
        .mapToDouble(QueryOutcome::ratio)
        .min()
        .ifPresent(worst -> ratios.put("worst_over_plain", worst));
    List<Double> planned =
        outcomes.stream().map(QueryOutcome::plannedOverGathered).filter(Objects::nonNull).toList();
    if (!planned.isEmpty()) {
      ratios.put("planner_over_fallback", geometricMean(planned));
    }
    Map<String, Object> further = new LinkedHashMap<>();
    further.put(
        "failed", outcomes.stream().filter(QueryOutcome::failed).map(QueryOutcome::name).toList());
    further.put(
        "without_fallback",
        outcomes.stream()
            .filter(outcome -> !outcome.failed() && outcome.plannedOverGathered() == null)
            .map(QueryOutcome::name)
            .toList());
    further.put("queries", outcomes);
    return new BenchResult("queries", parameters, List.of(), ratios, further);
  }

  private static double geometricMean(List<Double> values) {
    return Math.exp(values.stream().mapToDouble(Math::log).average().orElseThrow());
  }
}
