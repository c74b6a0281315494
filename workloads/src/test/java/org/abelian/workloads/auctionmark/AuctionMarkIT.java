package org.abelian.workloads.auctionmark;

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

/** AuctionMark on one node, small. */
@WithNode
class AuctionMarkIT extends OneNodeTrial {
  static final AuctionMarkOptions SMALL = new AuctionMarkOptions(20);
  static final Set<String> TYPES =
      Stream.of(AuctionMarkType.values()).map(AuctionMarkType::label).collect(Collectors.toSet());

  AuctionMarkIT(LocalNode node) {
    super(node);
  }

  @Override
  protected Workload small(Columns columns) {
    return new AuctionMarkWorkload(SMALL, columns);
  }

  @Override
  protected Set<String> types() {
    return TYPES;
  }

  @ParameterizedTest
  @EnumSource
  void theCheckNoticesWhateverIsBroken(Columns columns) throws Exception {
    try (Trial trial = trial(columns)) {
      assertEquals(1, trial.rulesBrokenBy("UPDATE item SET i_num_bids = 99 WHERE i_id = 1"));
      assertEquals(
          2, trial.rulesBrokenBy("UPDATE item SET i_current_price = 999999 WHERE i_id = 1"));
      assertEquals(3, trial.rulesBrokenBy("UPDATE item SET i_num_comments = 99 WHERE i_id = 2"));
      assertEquals(4, trial.rulesBrokenBy("UPDATE useracct SET u_rating = 9 WHERE u_id = 1"));
      assertEquals(5, trial.rulesBrokenBy("UPDATE useracct SET u_balance = 9 WHERE u_id = 1"));
      assertEquals(6, trial.rulesBrokenBy("UPDATE useracct SET u_comments = 9 WHERE u_id = 1"));
      assertEquals(7, trial.rulesBrokenBy("UPDATE item SET i_status = 2 WHERE i_id = 1"));
      assertEquals(8, trial.rulesBrokenBy("INSERT INTO item_purchase VALUES (1, 1, 1, 1)"));
      assertEquals(9, trial.rulesBrokenBy("DELETE FROM item_max_bid WHERE imb_i_id = 1"));
      assertEquals(10, trial.rulesBrokenBy("INSERT INTO useracct VALUES (998, 1, 0, 0, 0)"));
      assertEquals(11, trial.rulesBrokenBy("DELETE FROM item WHERE i_id = 3"));
      assertEquals(12, trial.rulesBrokenBy("INSERT INTO item_comment VALUES (0, 1, 1, 2, '', '')"));
    }
  }
}
