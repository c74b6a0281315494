package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.queries.QueryBench;
import org.abelian.workloads.queries.QueryOptions;
import org.abelian.workloads.queries.QueryOutcome;
import org.abelian.workloads.queries.Suite;
import org.abelian.workloads.queries.ch.ChSuite;
import org.abelian.workloads.queries.tpch.TpchSuite;
import org.abelian.workloads.tpcc.schema.ColumnKind;
import org.junit.jupiter.api.Test;

/**
 * The queries of TPC-H and CH-benCHmark give what one PostgreSQL gives, to the last digit; rows
 * that ORDER BY leaves equal may come in another order.
 */
@WithNode
@WithCluster
class AnalyticalQueriesIT {
  private static final double TINY = 0.001;
  private static final long SEED = 1;
  private static final int QUERIES = 22;

  /**
   * The queries that are refused today, such as {@code "ch 5"}, with SQLSTATE. A line here that is
   * not true any more fails the test, too: take it out.
   */
  private static final Map<String, String> REFUSED = Map.of();

  private final Database single;
  private final Database driver;
  private final Database server;

  AnalyticalQueriesIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = database(single.jdbcUrl());
    this.driver = database(cluster.driverUrl());
    this.server = database(router.jdbcUrl());
  }

  private static Database database(String url) {
    return new Database(url, LocalNode.USER, LocalNode.USER);
  }

  @Test
  void allQueriesOfTpchAgree() throws Exception {
    allAgree(new TpchSuite(TINY, SEED));
  }

  @Test
  void allQueriesOfChBenchmarkAgreeOverCountersToo() throws Exception {
    allAgree(new ChSuite(TINY, ColumnKind.COUNTER, SEED));
  }

  /** Through the driver and the server, over the same tables. */
  private void allAgree(Suite suite) throws Exception {
    QueryBench first = bench(driver, suite, false);
    try {
      assertAgree(first);
      assertAgree(bench(server, suite, true));
    } finally {
      first.drop();
    }
  }

  private QueryBench bench(Database cluster, Suite suite, boolean reuse) {
    return new QueryBench(
        single, cluster, List.of(suite), new QueryOptions(0, Duration.ofSeconds(60), reuse));
  }

  private static void assertAgree(QueryBench bench) throws Exception {
    List<QueryOutcome> outcomes = bench.run(progress -> {});
    assertEquals(QUERIES, outcomes.size());
    Map<String, String> failed = new TreeMap<>();
    for (QueryOutcome outcome : outcomes) {
      if (outcome.rows() != null && outcome.rows() == 0) {
        failed.put(outcome.name(), "finds nothing");
      } else if (outcome.failed()) {
        failed.put(
            outcome.name(), outcome.sqlstate() == null ? outcome.error() : outcome.sqlstate());
      }
    }
    Map<String, String> refused = new TreeMap<>(REFUSED);
    refused.keySet().removeIf(name -> !name.startsWith(outcomes.get(0).suite() + " "));
    assertEquals(refused, failed);
  }
}
