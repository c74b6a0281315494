package org.abelian.router.batching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Each session is told what happened to its own operation, in every order of events. */
class BatcherSimulationTest {
  private static final int SEEDS = 300;

  @Property(tries = 500)
  void everySessionIsToldTheTruthAboutItsOwnOperation(@ForAll long seed) {
    assertNull(new Simulation(seed, Simulation.Fault.NONE, true).run());
  }

  @Property(tries = 200)
  void withoutLossesNobodyIsLeftInDoubt(@ForAll long seed) {
    assertNull(new Simulation(seed, Simulation.Fault.NONE, false).run());
  }

  @Property(tries = 1)
  void sessionsThatMeetShareStatements() {
    long shared =
        LongStream.range(0, SEEDS)
            .filter(
                seed -> {
                  Simulation simulation = new Simulation(seed, Simulation.Fault.NONE, false);
                  assertNull(simulation.run());
                  return simulation.statements() < simulation.sessions();
                })
            .count();
    assertTrue(shared > SEEDS / 2, shared + " of " + SEEDS + " runs shared statements");
  }

  @ParameterizedTest
  @EnumSource(value = Simulation.Fault.class, mode = Mode.EXCLUDE, names = "NONE")
  void aBrokenPromiseIsNoticed(Simulation.Fault fault) {
    boolean losses = fault == Simulation.Fault.ACKNOWLEDGES_BEFORE_THE_COMMIT;
    String noticed =
        LongStream.range(0, SEEDS)
            .mapToObj(seed -> new Simulation(seed, fault, losses).run())
            .filter(wrong -> wrong != null)
            .findFirst()
            .orElse(null);
    assertNotNull(noticed, fault::name);
    assertEquals(false, noticed.contains("never answered"), noticed);
  }
}
