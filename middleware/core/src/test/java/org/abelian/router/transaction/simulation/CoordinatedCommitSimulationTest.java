package org.abelian.router.transaction.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.abelian.router.transaction.CommitOutcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every failure point of a small cluster, and many combinations of them, against the promises of
 * docs/protocols/coordinated.md.
 */
class CoordinatedCommitSimulationTest {
  private static final int SEEDS = Integer.getInteger("abelian.simulation.seeds", 6_000);
  private static final Set<Flaw> NONE = EnumSet.noneOf(Flaw.class);

  @Test
  void everyRunWithTwoUnusualEventsIsAtomic() {
    exhaust(new Scenario(2, false, 0, 2, NONE), 2);
  }

  @Test
  void everyRunWithOneUnusualEventIsAtomicOnThreeNodesAndAReader() {
    exhaust(new Scenario(3, true, 0, 1, NONE), 1);
  }

  @Test
  void aTransactionThatHasFailedOnOneNodeCommitsNowhere() {
    exhaust(new Scenario(3, false, 2, 1, NONE), 1);
    exhaust(new Scenario(3, false, 1, 1, NONE), 1);
  }

  @Test
  void aSingleWriterIsAnsweredTruthfullyWhenItsCommitIsLost() {
    exhaust(new Scenario(1, false, 0, 2, NONE), 2);
  }

  @Test
  void manyFailuresAtOnceStillLeaveAllOrNothing() {
    Set<String> outcomes = new TreeSet<>();
    for (long seed = 0; seed < SEEDS; seed++) {
      Scenario scenario = new Scenario(3, seed % 2 == 0, 0, 4, NONE);
      Scenario.Result result = scenario.run(new SeededChoices(seed));
      assertEquals(Optional.empty(), result.violation(), "seed " + seed + ": " + result.trace());
      outcomes.add(name(result.outcome()));
    }
    assertEquals(
        Set.of("Committed", "RolledBack", "RolledBackByNode", "Unknown", "crashed"),
        outcomes,
        "the search must reach every kind of answer");
  }

  @ParameterizedTest
  @EnumSource(Flaw.class)
  void aBrokenProtocolIsCaught(Flaw flaw) {
    int failedWriter = flaw == Flaw.TAG_UNCHECKED ? 2 : 0;
    Scenario scenario = new Scenario(2, false, failedWriter, 3, EnumSet.of(flaw));
    for (long seed = 0; seed < 20L * SEEDS; seed++) {
      if (scenario.run(new SeededChoices(seed)).violation().isPresent()) {
        return;
      }
    }
    fail("the simulation does not see " + flaw);
  }

  private static void exhaust(Scenario scenario, int unusualMax) {
    ExhaustiveChoices choices = new ExhaustiveChoices(unusualMax);
    long runs = 0;
    do {
      Scenario.Result result = scenario.run(choices);
      assertEquals(Optional.empty(), result.violation(), choices + ": " + result.trace());
      runs++;
    } while (choices.next());
    assertTrue(runs > 50, "the search must not be trivial, but made " + runs + " runs");
  }

  private static String name(CommitOutcome outcome) {
    return outcome == null ? "crashed" : outcome.getClass().getSimpleName();
  }
}
