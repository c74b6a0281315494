package org.abelian.workloads.tpcw;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.OneNodeTrial;
import org.abelian.workloads.workload.Trial;
import org.abelian.workloads.workload.Workload;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** TPC-W on one node, small. */
@WithNode
class TpcwIT extends OneNodeTrial {
  static final TpcwOptions SMALL = new TpcwOptions(20, 30, TpcwMix.ORDERING);
  static final Set<String> TYPES =
      Stream.of(TpcwType.values()).map(TpcwType::label).collect(Collectors.toSet());

  TpcwIT(LocalNode node) {
    super(node);
  }

  @Override
  protected Workload small(Columns columns) {
    return new TpcwWorkload(SMALL, columns);
  }

  @Override
  protected Set<String> types() {
    return TYPES;
  }

  @ParameterizedTest
  @EnumSource
  void theCheckNoticesWhateverIsBroken(Columns columns) throws Exception {
    try (Trial trial = trial(columns)) {
      assertEquals(1, trial.rulesBrokenBy("UPDATE item SET i_stock = i_stock - 1 WHERE i_id = 1"));
      assertEquals(
          2, trial.rulesBrokenBy("UPDATE order_line SET ol_qty = ol_qty + 1 WHERE ol_o_id = 1"));
      assertEquals(3, trial.rulesBrokenBy("DELETE FROM cc_xacts WHERE cx_o_id = 2"));
      assertEquals(4, trial.rulesBrokenBy("DELETE FROM customer WHERE c_id = 30"));
      assertEquals(5, trial.rulesBrokenBy("DELETE FROM customer WHERE c_id = 3"));
      assertEquals(6, trial.rulesBrokenBy("DELETE FROM orders WHERE o_id = 5"));
    }
  }
}
