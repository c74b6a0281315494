package org.abelian.router.transaction.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every failure point of a small cluster, and many combinations of them, against the promises of
 * docs/protocols/commuting.md.
 */
class CommutingCommitSimulationTest {
  /** Two take more than a minute. */
  private static final int SHARED_CALLS_EVENTS = Integer.getInteger("abelian.simulation.events", 1);

  private static final int SEEDS = Integer.getInteger("abelian.simulation.seeds", 3_000);

  @ParameterizedTest(name = "calls in one round: {0}")
  @ValueSource(ints = {0, 1})
  void everyRunWithTwoUnusualEventsIsAtomicAndDoneOnce(int calls) {
    exhaust(new IntentScenario(2, 2, calls, false, null), 2);
  }

  @Test
  void everyRunOfSharedCallsWithUnusualEventsIsAtomicAndDoneOnce() {
    exhaust(new IntentScenario(2, 2, 2, false, null), SHARED_CALLS_EVENTS);
  }

  @ParameterizedTest(name = "calls in one round: {0}")
  @ValueSource(ints = {0, 1, 2})
  void everyRunWithOneUnusualEventIsAtomicAndDoneOnceOnThreeNodes(int calls) {
    exhaust(new IntentScenario(3, 1, calls, false, null), 1);
  }

  @ParameterizedTest(name = "calls in one round: {0}")
  @ValueSource(ints = {0, 1, 2})
  void aRouterThatIsTakenForDeadCannotCommitWhatOthersHaveForgotten(int calls) {
    exhaust(new IntentScenario(2, 1, calls, true, null), calls < 2 ? 2 : SHARED_CALLS_EVENTS);
  }

  @ParameterizedTest(name = "calls in one round: {0}")
  @ValueSource(ints = {0, 1, 2})
  void manyFailuresAtOnceStillLeaveAllOrNothing(int calls) {
    Set<String> outcomes = new TreeSet<>();
    for (long seed = 0; seed < SEEDS; seed++) {
      IntentScenario scenario =
          new IntentScenario(seed % 2 == 0 ? 2 : 3, 4, calls, seed % 3 == 0, null);
      IntentScenario.Result result = scenario.run(new SeededChoices(seed));
      assertEquals(Optional.empty(), result.violation(), "seed " + seed + ": " + result.trace());
      result.outcomes().forEach(outcome -> outcomes.add(outcome.getClass().getSimpleName()));
      if (result.outcomes().isEmpty()) {
        outcomes.add("crashed");
      }
    }
    assertEquals(
        Set.of("Committed", "RolledBack", "RolledBackByNode", "Unknown", "crashed"),
        outcomes,
        "the search must reach every kind of answer");
  }

  @ParameterizedTest
  @EnumSource(IntentFlaw.class)
  void aBrokenProtocolIsCaught(IntentFlaw flaw) {
    requireCaught(flaw, 0);
  }

  @ParameterizedTest
  @EnumSource(IntentFlaw.class)
  void aBrokenProtocolIsCaughtAlsoInOneRound(IntentFlaw flaw) {
    requireCaught(flaw, 1);
  }

  @ParameterizedTest
  @EnumSource(IntentFlaw.class)
  void aBrokenProtocolIsCaughtAlsoWhenCallsShareAMessage(IntentFlaw flaw) {
    requireCaught(flaw, 2);
  }

  private static void requireCaught(IntentFlaw flaw, int calls) {
    IntentScenario scenario =
        new IntentScenario(2, 3, calls, flaw == IntentFlaw.RETIRE_WITHOUT_CLOSING, flaw);
    for (long seed = 0; seed < 40L * SEEDS; seed++) {
      if (scenario.run(new SeededChoices(seed)).violation().isPresent()) {
        return;
      }
    }
    fail("the simulation does not see " + flaw);
  }

  private static void exhaust(IntentScenario scenario, int unusualMax) {
    ExhaustiveChoices choices = new ExhaustiveChoices(unusualMax);
    long runs = 0;
    do {
      IntentScenario.Result result = scenario.run(choices);
      assertEquals(Optional.empty(), result.violation(), choices + ": " + result.trace());
      runs++;
    } while (choices.next());
    assertTrue(runs > 50, "the search must not be trivial, but made " + runs + " runs");
  }
}
