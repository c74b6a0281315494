package org.abelian.workloads.like;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.workloads.client.Mode;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Trial;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** LIKE on one node, small. */
@WithNode
class LikeIT {
  private final LocalNode node;

  LikeIT(LocalNode node) {
    this.node = node;
  }

  @ParameterizedTest
  @EnumSource
  void everyModeKeepsTheRulesAndABrokenStateIsNoticed(Columns columns) throws Exception {
    try (Trial trial = Trial.on(node, new LikeWorkload(LikeOptions.of(1e-4, 50), columns))) {
      trial.runEach(List.of(Mode.values()), Set.of("like", "read"));
      assertEquals(1, trial.rulesBrokenBy("UPDATE pages SET likes = likes + 1 WHERE id = 3"));
      assertEquals(2, trial.rulesBrokenBy("INSERT INTO user_likes (user_id, page) VALUES (1, 4)"));
    }
  }
}
