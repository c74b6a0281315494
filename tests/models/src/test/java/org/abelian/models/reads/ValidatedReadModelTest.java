package org.abelian.models.reads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The promises of docs/protocols/reads.md in every state of small worlds. */
class ValidatedReadModelTest {
  private static final int STATES_MAX = 3_000_000;

  /** Nodes as bits. */
  private static final int AB = 3;

  private static final int A = 1;
  private static final int AC = 5;
  private static final int BC = 6;
  private static final int ABC = 7;

  private static Transaction coordinated(int nodes) {
    return new Transaction(nodes, true, -1);
  }

  private static Transaction commuting(int nodes) {
    return new Transaction(nodes, false, -1);
  }

  static Stream<World> worlds() {
    return Stream.of(
        new World(2, List.of(coordinated(AB)), AB, 2, 4),
        new World(2, List.of(commuting(AB)), AB, 2, 4),
        new World(2, List.of(coordinated(AB), commuting(AB)), AB, 1, 2),
        new World(3, List.of(coordinated(AC), new Transaction(BC, true, 0)), AB, 1, 2),
        new World(2, List.of(commuting(A), new Transaction(AB, true, 0)), AB, 1, 2),
        new World(3, List.of(coordinated(ABC)), ABC, 1, 2));
  }

  @ParameterizedTest
  @MethodSource("worlds")
  void aReadSeesEachTransactionWhollyOrNotAtAll(World world) {
    Exploration.Result result = Exploration.run(world, null, STATES_MAX);
    assertEquals(Optional.empty(), result.broken());
    assertTrue(result.accepted() > 0, "nothing was read");
    System.out.println(result.states() + " states of " + world);
  }

  @ParameterizedTest
  @EnumSource(Flaw.class)
  void leavingOutARuleBreaksAPromise(Flaw flaw) {
    assertTrue(
        worlds().anyMatch(world -> Exploration.run(world, flaw, STATES_MAX).broken().isPresent()),
        flaw + " is not noticed");
  }
}
