package org.abelian.workloads.bank;

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

/** The bank on one node, small. */
@WithNode
class BankIT {
  private final LocalNode node;

  BankIT(LocalNode node) {
    this.node = node;
  }

  @ParameterizedTest
  @EnumSource
  void noSumIsTornAndAHalfTransferIsNoticed(Columns columns) throws Exception {
    try (Trial trial = Trial.on(node, new BankWorkload(30, 20, columns))) {
      trial.runEach(List.of(Mode.values()), Set.of("transfer", "sum"));
      assertEquals(
          1, trial.rulesBrokenBy("UPDATE accounts SET balance = balance + 1 WHERE id = 7"));
    }
  }
}
