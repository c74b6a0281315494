package org.abelian.workloads.epinions;

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

/** EPinions on one node, small. */
@WithNode
class EpinionsIT extends OneNodeTrial {
  static final EpinionsOptions SMALL = new EpinionsOptions(30);
  static final Set<String> TYPES =
      Stream.of(EpinionsType.values()).map(EpinionsType::label).collect(Collectors.toSet());

  EpinionsIT(LocalNode node) {
    super(node);
  }

  @Override
  protected Workload small(Columns columns) {
    return new EpinionsWorkload(SMALL, columns);
  }

  @Override
  protected Set<String> types() {
    return TYPES;
  }

  @ParameterizedTest
  @EnumSource
  void theCheckNoticesWhateverIsBroken(Columns columns) throws Exception {
    try (Trial trial = trial(columns)) {
      assertEquals(1, trial.rulesBrokenBy("UPDATE item SET rating_total = 0 WHERE i_id = 1"));
      assertEquals(2, trial.rulesBrokenBy("UPDATE useracct SET trusted = 99 WHERE u_id = 1"));
      assertEquals(3, trial.rulesBrokenBy("UPDATE item SET ratings = 99 WHERE i_id = 2"));
      assertEquals(4, trial.rulesBrokenBy("INSERT INTO review_rating VALUES (1, 0, 1)"));
      assertEquals(5, trial.rulesBrokenBy("INSERT INTO item VALUES (999, '', 0, 0)"));
      assertEquals(6, trial.rulesBrokenBy("INSERT INTO trust VALUES (999, 1, 0)"));
      assertEquals(7, trial.rulesBrokenBy("INSERT INTO useracct VALUES (999, '', 0)"));
      assertEquals(9, trial.rulesBrokenBy("INSERT INTO review VALUES (0, 998, 1, 1)"));
    }
  }
}
