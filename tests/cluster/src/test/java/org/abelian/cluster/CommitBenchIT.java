package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithCluster;
import org.abelian.workloads.commit.CommitBench;
import org.abelian.workloads.commit.CommitOptions;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.junit.jupiter.api.Test;

/** The commit classes, small: each way takes its class, and every addition is there once. */
@WithCluster
class CommitBenchIT {
  private static final Duration MOMENT = Duration.ofMillis(300);

  private final LocalCluster cluster;

  CommitBenchIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @Test
  void everyClassRunsAndNoAdditionIsLost() throws Exception {
    List<Database> nodes =
        cluster.nodes().stream()
            .map(node -> new Database(node.jdbcUrl(), LocalNode.USER, LocalNode.USER))
            .toList();
    BenchResult result =
        new CommitBench(
                nodes,
                new Database(cluster.driverUrl(), LocalNode.USER, LocalNode.USER),
                new CommitOptions(4, MOMENT, 1, 300, true, MOMENT, Pattern.compile("")))
            .run(progress -> {});
    assertEquals(
        List.of(
            "independent_over_coordinated",
            "commuting_over_coordinated",
            "independent_over_handmade",
            "commuting_over_handmade",
            "hot_independent_over_coordinated",
            "hot_commuting_over_coordinated",
            "ten_percent_over_local"),
        List.copyOf(result.ratios().keySet()));
    result.ratios().forEach((name, ratio) -> assertTrue(ratio > 0, name + ": " + ratio));
  }
}
