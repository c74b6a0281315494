package org.abelian.workloads.tpcw;

import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.abelian.workloads.client.Mode;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Trial;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** TPC-W over three nodes, small. */
@WithCluster
class TpcwClusterIT {
  private final LocalCluster cluster;

  TpcwClusterIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @ParameterizedTest
  @EnumSource
  void ordersOverThreeNodesKeepTheRules(Columns columns) throws Exception {
    try (Trial trial = Trial.on(cluster, new TpcwWorkload(TpcwIT.SMALL, columns))) {
      trial.runEach(List.of(Mode.READ_COMMITTED, Mode.AUTOCOMMIT), TpcwIT.TYPES);
    }
  }
}
