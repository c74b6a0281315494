package org.abelian.workloads.rubis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
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

/** RUBiS on one node, small. */
@WithNode
class RubisIT extends OneNodeTrial {
  static final RubisOptions SMALL = new RubisOptions(20, RubisMix.BID_HEAVY, Duration.ofSeconds(1));
  static final Set<String> TYPES =
      Stream.of(RubisType.values()).map(RubisType::label).collect(Collectors.toSet());

  RubisIT(LocalNode node) {
    super(node);
  }

  @Override
  protected Workload small(Columns columns) {
    return new RubisWorkload(SMALL, columns);
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
      assertEquals(1, trial.rulesBrokenBy("UPDATE items SET nb_of_bids = 7 WHERE id = 1"));
      assertEquals(2, trial.rulesBrokenBy("UPDATE users SET won = 1 WHERE id = 1"));
      assertEquals(3, trial.rulesBrokenBy("UPDATE users SET rating = 1 WHERE id = 2"));
      assertEquals(4, trial.rulesBrokenBy("UPDATE items SET closed = true WHERE id = 3"));
      assertEquals(5, trial.rulesBrokenBy("INSERT INTO bids VALUES (999, 1, 1)"));
      assertEquals(6, trial.rulesBrokenBy("INSERT INTO users VALUES (998, '', 1, 0, 0)"));
      assertEquals(7, trial.rulesBrokenBy("DELETE FROM items WHERE id = 2"));
      assertEquals(8, trial.rulesBrokenBy("INSERT INTO comments VALUES (1, 1, 1, 0, '')"));
    }
  }
}
