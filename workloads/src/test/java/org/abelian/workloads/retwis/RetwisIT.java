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
import org.abelian.workloads.workload.OneNodeTrial;
import org.abelian.workloads.workload.Trial;
import org.abelian.workloads.workload.Workload;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Retwis on one node, small. */
@WithNode
class RetwisIT extends OneNodeTrial {
  static final RetwisOptions SMALL = new RetwisOptions(6, 4, RetwisMix.POST_HEAVY);
  static final Set<String> TYPES =
      Stream.of(RetwisType.values()).map(RetwisType::label).collect(Collectors.toSet());

  RetwisIT(LocalNode node) {
    super(node);
  }

  @Override
  protected Workload small(Columns columns) {
    return new RetwisWorkload(SMALL, columns);
  }

  @Override
  protected Set<String> types() {
    return TYPES;
  }

  @Override
  protected List<Mode> modes() {
    return List.of(Mode.values());
  }

  @ParameterizedTest
  @EnumSource
  void theCheckNoticesWhateverIsBroken(Columns columns) throws Exception {
    try (Trial trial = trial(columns)) {
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
