package org.abelian.workloads.incr;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Trial;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** INCR on one node, small. */
@WithNode
class IncrIT {
  private final LocalNode node;

  IncrIT(LocalNode node) {
    this.node = node;
  }

  @ParameterizedTest
  @EnumSource
  void everyModeKeepsEveryAdditionAndALostOneIsNoticed(Columns columns) throws Exception {
    try (Trial trial = Trial.on(node, new IncrWorkload(50, 50, columns))) {
      trial.runEach(Trial.STATEMENTS, Set.of("incr"));
      assertEquals(1, trial.rulesBrokenBy("UPDATE incr SET n = n - 1 WHERE k = 3"));
    }
  }
}
