package org.abelian.workloads.retwis;

import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.abelian.workloads.client.Mode;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Trial;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Retwis over three nodes, small. */
@WithCluster
class RetwisClusterIT {
  private final LocalCluster cluster;

  RetwisClusterIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @ParameterizedTest
  @EnumSource
  void postsAndTimelinesOverThreeNodesKeepTheRules(Columns columns) throws Exception {
    try (Trial trial = Trial.on(cluster, new RetwisWorkload(RetwisIT.SMALL, columns))) {
      trial.runEach(List.of(Mode.READ_COMMITTED, Mode.PROCEDURE, Mode.AUTOCOMMIT), RetwisIT.TYPES);
    }
  }
}
