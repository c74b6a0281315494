package org.abelian.cluster;

import static java.util.stream.Collectors.toSet;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.router.RouterBench;
import org.abelian.workloads.router.RouterOptions;
import org.abelian.workloads.scatter.ScatterBench;
import org.abelian.workloads.scatter.ScatterOptions;
import org.junit.jupiter.api.Test;

/** The benchmarks of reads, small. */
@WithNode
@WithCluster
class ReadBenchIT {
  private static final Duration MOMENT = Duration.ofMillis(50);

  private final LocalNode node;
  private final RouterServer router;
  private final LocalCluster cluster;

  ReadBenchIT(LocalNode node, RouterServer router, LocalCluster cluster) {
    this.node = node;
    this.router = router;
    this.cluster = cluster;
  }

  private static Database database(String url) {
    return new Database(url, LocalNode.USER, LocalNode.USER);
  }

  /** Few clients and many are measured apart. */
  @Test
  void routersAreMeasuredInEveryWay() throws Exception {
    BenchResult result =
        new RouterBench(
                database(cluster.nodes().get(0).jdbcUrl()),
                database(cluster.driverUrl()),
                database(router.jdbcUrl()),
                null,
                new RouterOptions(1, 3, MOMENT, 1, 300, MOMENT),
                () -> 0)
            .run(progress -> {});
    assertEquals(20, result.rows().size());
    assertTrue(
        result
            .ratios()
            .keySet()
            .containsAll(
                List.of(
                    "driver_over_direct",
                    "server_over_direct_update",
                    "driver_over_direct_select_3",
                    "server_over_direct_update_3",
                    "relay_over_direct_select",
                    "lookup_over_key_server_3")));
    result.ratios().forEach((name, ratio) -> assertTrue(ratio > 0, name + ": " + ratio));
    assertEquals(
        result.rows().stream().map(row -> row.variant()).toList(),
        List.copyOf(((Map<?, ?>) result.further().get("per_statement")).keySet()));
  }

  /** Writers of every class take it beside readers, who see no torn sum. */
  @Test
  void sumsAreReadBesideWritersOfEveryClass() throws Exception {
    BenchResult result =
        new ScatterBench(
                database(node.jdbcUrl()),
                database(cluster.driverUrl()),
                cluster.nodes().stream().map(each -> database(each.jdbcUrl())).toList(),
                new ScatterOptions(2, 3, 2, MOMENT, 1, 300, MOMENT))
            .run(progress -> {});
    for (String kind :
        List.of(
            "",
            "_coordinated",
            "_commuting",
            "_coordinated_calls",
            "_commuting_calls",
            "_independent_calls")) {
      assertTrue(result.ratios().containsKey("writers_beside_readers_over_alone" + kind), kind);
      assertTrue(result.ratios().containsKey("reads_beside_writers_over_alone" + kind), kind);
      assertTrue(
          kind.isEmpty() || result.ratios().containsKey("by_hand_beside_writers_over_alone" + kind),
          kind);
    }
    Set<String> rows = result.rows().stream().map(row -> row.variant()).collect(toSet());
    assertTrue(
        rows.containsAll(
            List.of(
                "plain sum, 3, block",
                "cluster lookup, 1",
                "nodes by hand sum, 2",
                "cluster range, 2, beside writers")),
        rows.toString());
  }
}
