package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.workloads.combine.CombineBench;
import org.abelian.workloads.combine.CombineOptions;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.junit.jupiter.api.Test;

/** The hot counter behind the router, small. */
@WithCluster
class CombineBenchIT {
  private final LocalCluster cluster;
  private final RouterServer router;

  CombineBenchIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @Test
  void manySessionsShareStatementsAndNoAdditionIsLost() throws Exception {
    List<Database> nodes =
        cluster.nodes().stream()
            .map(node -> new Database(node.jdbcUrl(), LocalNode.USER, LocalNode.USER))
            .toList();
    BenchResult result =
        new CombineBench(
                new Database(router.jdbcUrl(), LocalNode.USER, LocalNode.USER),
                nodes,
                LocalNode.binDirectory(),
                new CombineOptions(32, 2, 1, 1))
            .run(progress -> {});
    assertEquals(
        List.of(
            "combined_over_plain",
            "few_sessions_combined_over_plain",
            "single_session_combined_over_plain",
            "statements_per_operation"),
        List.copyOf(result.ratios().keySet()));
    result.ratios().forEach((name, ratio) -> assertTrue(ratio > 0, name + ": " + ratio));
    assertTrue(result.ratios().get("statements_per_operation") < 1, result::toString);
  }
}
