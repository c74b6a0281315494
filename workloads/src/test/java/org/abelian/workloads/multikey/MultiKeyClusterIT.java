package org.abelian.workloads.multikey;

import java.util.Set;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.abelian.workloads.client.Mode;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Trial;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Multi-get and multi-put over three nodes, small. */
@WithCluster
class MultiKeyClusterIT {
  private final LocalCluster cluster;

  MultiKeyClusterIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @ParameterizedTest
  @EnumSource
  void noGetOverThreeNodesIsTorn(Columns columns) throws Exception {
    try (Trial trial =
        Trial.on(cluster, new MultiKeyWorkload(new MultiKeyOptions(3, 40, 50), columns))) {
      trial.run(Mode.READ_COMMITTED, Set.of("multi_get", "multi_put"));
      trial.run(Mode.AUTOCOMMIT, Set.of("multi_get", "multi_put"));
      trial.requireConsistent();
    }
  }
}
