package org.abelian.workloads.bank;

import java.util.Set;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.abelian.workloads.client.Mode;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Trial;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The bank over three nodes, small. */
@WithCluster
class BankClusterIT {
  private final LocalCluster cluster;

  BankClusterIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @ParameterizedTest
  @EnumSource
  void noSumOverThreeNodesIsTorn(Columns columns) throws Exception {
    try (Trial trial = Trial.on(cluster, new BankWorkload(30, 20, columns))) {
      trial.run(Mode.READ_COMMITTED, Set.of("transfer", "sum"));
      trial.run(Mode.PROCEDURE, Set.of("transfer", "sum"));
      trial.run(Mode.AUTOCOMMIT, Set.of("transfer", "sum"));
      trial.requireConsistent();
    }
  }
}
