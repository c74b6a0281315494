package org.abelian.workloads.epinions;

import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.abelian.workloads.client.Mode;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Trial;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** EPinions over three nodes, small. */
@WithCluster
class EpinionsClusterIT {
  private final LocalCluster cluster;

  EpinionsClusterIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @ParameterizedTest
  @EnumSource
  void opinionsOverThreeNodesKeepTheRules(Columns columns) throws Exception {
    try (Trial trial = Trial.on(cluster, new EpinionsWorkload(EpinionsIT.SMALL, columns))) {
      trial.runEach(List.of(Mode.READ_COMMITTED, Mode.AUTOCOMMIT), EpinionsIT.TYPES);
    }
  }
}
