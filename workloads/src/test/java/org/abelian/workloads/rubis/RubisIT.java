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
import org.abelian.workloads.workload.Trial;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** RUBiS on one node, small. */
@WithNode
class RubisIT {
  static final RubisOptions SMALL = new RubisOptions(20, RubisMix.BID_HEAVY, Duration.ofSeconds(1));
  static final Set<String> TYPES =
      Stream.of(RubisType.values()).map(RubisType::label).collect(Collectors.toSet());

  private final LocalNode node;

  RubisIT(LocalNode node) {
    this.node = node;
  }

  @ParameterizedTest
  @EnumSource
  void everyModeKeepsTheRules(Columns columns) throws Exception {
    try (Trial trial = Trial.on(node, new RubisWorkload(SMALL, columns))) {
      trial.requireConsistent();
      trial.runEach(List.of(Mode.values()), TYPES);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theCheckNoticesWhateverIsBroken(Columns columns) throws Exception {
    try (Trial trial = Trial.on(node, new RubisWorkload(SMALL, columns))) {
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
