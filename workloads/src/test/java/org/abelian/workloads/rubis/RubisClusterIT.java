package org.abelian.workloads.rubis;

import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.abelian.workloads.client.Mode;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Trial;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** RUBiS over three nodes, small. */
@WithCluster
class RubisClusterIT {
  private final LocalCluster cluster;

  RubisClusterIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @ParameterizedTest
  @EnumSource
  void auctionsOverThreeNodesKeepTheRules(Columns columns) throws Exception {
    try (Trial trial = Trial.on(cluster, new RubisWorkload(RubisIT.SMALL, columns))) {
      trial.runEach(List.of(Mode.READ_COMMITTED, Mode.PROCEDURE, Mode.AUTOCOMMIT), RubisIT.TYPES);
    }
  }
}
