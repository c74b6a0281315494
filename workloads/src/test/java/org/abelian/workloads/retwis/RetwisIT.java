package org.abelian.workloads.retwis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.workloads.client.Mode;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Trial;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Retwis on one node, small. */
@WithNode
class RetwisIT {
  static final RetwisOptions SMALL = new RetwisOptions(6, 4, RetwisMix.POST_HEAVY);
  static final Set<String> TYPES =
      Stream.of(RetwisType.values()).map(RetwisType::label).collect(Collectors.toSet());

  private final LocalNode node;

  RetwisIT(LocalNode node) {
    this.node = node;
  }

  @ParameterizedTest
  @EnumSource
  void everyModeKeepsTheRules(Columns columns) throws Exception {
    try (Trial trial = Trial.on(node, new RetwisWorkload(SMALL, columns))) {
      trial.requireConsistent();
      trial.runEach(List.of(Mode.values()), TYPES);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theCheckNoticesWhateverIsBroken(Columns columns) throws Exception {
    try (Trial trial = Trial.on(node, new RetwisWorkload(SMALL, columns))) {
      assertEquals(1, trial.rulesBrokenBy("UPDATE users SET followers = 99 WHERE id = 1"));
      assertEquals(2, trial.rulesBrokenBy("UPDATE users SET following = 99 WHERE id = 1"));
      assertEquals(3, trial.rulesBrokenBy("UPDATE users SET posts = 0 WHERE id = 1"));
      assertEquals(4, trial.rulesBrokenBy("UPDATE posts SET reposts = 1 WHERE id = 1"));
      assertEquals(6, trial.rulesBrokenBy("INSERT INTO users VALUES (999, '', 0, 0, 0)"));
      assertEquals(8, trial.rulesBrokenBy("DELETE FROM posts WHERE id <> 1"));
      assertEquals(9, trial.rulesBrokenBy("INSERT INTO reposts VALUES (2, 1)"));
    }
  }
}
