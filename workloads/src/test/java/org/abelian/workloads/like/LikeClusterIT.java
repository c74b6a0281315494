package org.abelian.workloads.like;

import java.util.Set;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.abelian.workloads.client.Mode;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Trial;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** LIKE over three nodes, small. */
@WithCluster
class LikeClusterIT {
  private final LocalCluster cluster;

  LikeClusterIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @ParameterizedTest
  @EnumSource
  void aLikeIsOfItsPageAndOfItsUserOrOfNeither(Columns columns) throws Exception {
    try (Trial trial = Trial.on(cluster, new LikeWorkload(LikeOptions.of(1e-4, 50), columns))) {
      trial.run(Mode.READ_COMMITTED, Set.of("like", "read"));
      trial.run(Mode.PROCEDURE, Set.of("like", "read"));
      trial.run(Mode.AUTOCOMMIT, Set.of("like", "read"));
      trial.requireConsistent();
    }
  }
}
