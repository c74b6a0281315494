package org.abelian.histories;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.sql.SQLException;
import java.util.Optional;
import java.util.Random;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.histories.copies.Trial;
import org.abelian.histories.copies.Twins;
import org.junit.jupiter.api.Test;

/**
 * A copy of a value, however it was made and wherever it is kept, is what plain columns would have
 * given at that time, and stays it whatever becomes of the source. System property {@code
 * abelian.soak.seconds} makes the run longer, {@code abelian.seed} repeats one trial.
 */
@WithNode(settings = {"abelian.fold_interval=5ms", "abelian.fold_after=1ms"})
class CopiesIT {
  private static final int SECONDS = Integer.getInteger("abelian.soak.seconds", 5);
  private static final Long REPEATED = Long.getLong("abelian.seed");

  private final LocalNode node;

  CopiesIT(LocalNode node) {
    this.node = node;
  }

  @Test
  void aCopyIsTheValueOfItsTimeAndStaysIt() throws SQLException {
    Random seeds = new Random();
    long end = System.nanoTime() + SECONDS * 1_000_000_000L;
    int trials = 0;
    try (Twins twins = new Twins(node.connect())) {
      do {
        attempt(twins, REPEATED == null ? seeds.nextLong() : REPEATED);
        trials++;
      } while (REPEATED == null && System.nanoTime() < end);
    }
    assertTrue(trials > 0);
  }

  private static void attempt(Twins twins, long seed) {
    Trial trial = new Trial(seed);
    try {
      Optional<String> fault = trial.run(twins);
      fault.ifPresent(what -> fail("seed " + seed + ", " + trial + "\n" + what));
    } catch (SQLException e) {
      fail("seed " + seed + ", " + trial, e);
    }
  }
}
