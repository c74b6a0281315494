package org.abelian.workloads.multikey;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Trial;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Multi-get and multi-put on one node, small. */
@WithNode
class MultiKeyIT {
  private final LocalNode node;

  MultiKeyIT(LocalNode node) {
    this.node = node;
  }

  @ParameterizedTest
  @EnumSource
  void noGetIsTornAndAHalfPutIsNoticed(Columns columns) throws Exception {
    try (Trial trial =
        Trial.on(node, new MultiKeyWorkload(new MultiKeyOptions(3, 40, 50), columns))) {
      trial.runEach(Trial.STATEMENTS, Set.of("multi_get", "multi_put"));
      assertEquals(2, trial.rulesBrokenBy("UPDATE multikey SET v = v + 1 WHERE k = 7"));
    }
  }
}
