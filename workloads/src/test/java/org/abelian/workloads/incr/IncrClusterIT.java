package org.abelian.workloads.incr;

import java.util.Set;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.abelian.workloads.client.Mode;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Trial;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** INCR over three nodes, small. */
@WithCluster
class IncrClusterIT {
  private final LocalCluster cluster;

  IncrClusterIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @ParameterizedTest
  @EnumSource
  void everyAdditionIsThereOnce(Columns columns) throws Exception {
    try (Trial trial = Trial.on(cluster, new IncrWorkload(50, 50, columns))) {
      trial.run(Mode.READ_COMMITTED, Set.of("incr"));
      trial.run(Mode.AUTOCOMMIT, Set.of("incr"));
      trial.requireConsistent();
    }
  }
}
