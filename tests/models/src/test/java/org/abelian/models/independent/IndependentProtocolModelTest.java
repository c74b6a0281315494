package org.abelian.models.independent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.abelian.models.independent.Setting.Faults;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The promises of docs/protocols/independent.md in every state of small worlds. */
class IndependentProtocolModelTest {
  private static final long STATES_MAX = 6_000_000;

  /** Nodes as bits. */
  private static final int AB = 3;

  private static final int BC = 6;
  private static final int AC = 5;
  private static final int ABC = 7;

  static Stream<Arguments> worlds() {
    return Stream.of(
        world("two transactions, a crash", 2, List.of(AB, AB), 0, new Faults(1, 0, 0, 0, 0)),
        world("two transactions, a router dies", 2, List.of(AB, AB), 0, new Faults(0, 1, 0, 0, 0)),
        world(
            "two transactions, a lost message and a jump of a clock",
            2,
            List.of(AB, AB),
            0,
            new Faults(0, 0, 1, 1, 0)),
        world("a crash and a dying router", 2, List.of(AB), 0, new Faults(1, 1, 1, 0, 1)),
        world("two crashes", 2, List.of(AB), 0, new Faults(2, 1, 0, 0, 0)),
        world("three pairs of three nodes", 3, List.of(AB, BC, AC), 0, new Faults(0, 0, 0, 0, 0)),
        world(
            "a chain over three nodes, a crash", 3, List.of(AB, BC), 0, new Faults(1, 0, 0, 0, 0)),
        world(
            "three nodes, a crash and a dying router",
            3,
            List.of(ABC),
            0,
            new Faults(1, 1, 0, 0, 0)),
        world(
            "three nodes, a lost message and hasty recovery",
            3,
            List.of(ABC),
            0,
            new Faults(0, 1, 1, 1, 1)),
        world(
            "beside a coordinated transaction, a crash and a dying router",
            2,
            List.of(AB),
            AB,
            new Faults(1, 1, 0, 0, 0)),
        world(
            "beside a coordinated transaction, two crashes",
            2,
            List.of(AB),
            AB,
            new Faults(2, 0, 0, 0, 0)),
        world(
            "two beside a coordinated transaction",
            2,
            List.of(AB, AB),
            AB,
            new Faults(0, 0, 0, 0, 0)),
        world(
            "two beside a coordinated transaction, each on another pair of three nodes",
            3,
            List.of(AB, BC),
            AC,
            new Faults(0, 0, 0, 0, 0)),
        world("the same, a clock jumps", 3, List.of(AB, BC), AC, new Faults(0, 0, 0, 1, 0)));
  }

  private static Arguments world(
      String name, int nodes, List<Integer> transactions, int coordinated, Faults faults) {
    return Arguments.of(name, Setting.of(nodes, transactions, coordinated, faults));
  }

  static Stream<Arguments> worldsWithReads() {
    return Stream.of(
        world("a crash", 2, List.of(AB, AB), 0, new Faults(1, 0, 0, 0, 0)),
        world("a router dies", 2, List.of(AB, AB), 0, new Faults(0, 1, 0, 0, 0)),
        world("a lost message, a clock jumps", 2, List.of(AB, AB), 0, new Faults(0, 0, 1, 1, 0)),
        world("two of other pairs of nodes", 3, List.of(AB, BC, AC), 0, new Faults(0, 0, 0, 0, 0)),
        world("a coordinated one, a crash", 2, List.of(AB), AB, new Faults(1, 1, 0, 0, 0)),
        world("one of each", 2, List.of(AB, AB), AB, new Faults(0, 0, 0, 0, 0)),
        world("one of each, three nodes", 3, List.of(AB, BC), AC, new Faults(0, 0, 0, 1, 0)));
  }

  /** The last of the transactions is a read of several nodes that takes its turn. */
  @ParameterizedTest(name = "beside {0}")
  @MethodSource("worldsWithReads")
  void aReadInItsTurnHasAPlaceInTheSerialOrder(String name, Setting setting) {
    Exploration.Result result = new Exploration(setting.withLastRead(), STATES_MAX).run();
    assertEquals(Optional.empty(), result.violation(), () -> String.join("; ", result.steps()));
    assertTrue(result.ends() > 1, "the world must have several ends, but has " + result.ends());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("worlds")
  void everyInterleavingIsAtomicAndInOneSerialOrder(String name, Setting setting) {
    Exploration.Result result = new Exploration(setting, STATES_MAX).run();
    assertEquals(Optional.empty(), result.violation(), () -> String.join("; ", result.steps()));
    assertTrue(result.ends() > 1, "the world must have several ends, but has " + result.ends());
  }

  @ParameterizedTest
  @EnumSource(Flaw.class)
  void aBrokenProtocolIsCaught(Flaw flaw) {
    Exploration.Result result = new Exploration(worldThatShows(flaw).with(flaw), STATES_MAX).run();
    assertTrue(result.violation().isPresent(), "the model does not see " + flaw);
  }

  private static Setting worldThatShows(Flaw flaw) {
    return switch (flaw) {
      case NO_MAXIMUM, OUT_OF_TIMESTAMP_ORDER, CLOCK_ALONE ->
          Setting.of(2, List.of(AB, AB), 0, new Faults(0, 0, 0, 0, 0));
      case READ_OUT_OF_TURN, READ_WITHOUT_PLACE ->
          Setting.of(2, List.of(AB, AB), 0, new Faults(0, 0, 0, 0, 0)).withLastRead();
      case NO_CLOCK_EXCHANGE -> Setting.of(3, List.of(AB, BC), AC, new Faults(0, 0, 0, 0, 0));
      case ENDLESS_WAIT -> beside();
      case NO_GATE -> Setting.of(2, List.of(AB), AB, new Faults(0, 0, 0, 0, 0));
      case CANCEL_WITHOUT_FREEZE, INTENT_NOT_STORED ->
          Setting.of(2, List.of(AB), 0, new Faults(0, 1, 0, 0, 0));
      case NO_TOMBSTONE -> Setting.of(2, List.of(AB), 0, new Faults(0, 0, 1, 0, 0));
      case ACKNOWLEDGE_BEFORE_FLUSH, NO_CATCH_UP, NO_WATERMARK, NO_FENCE ->
          Setting.of(2, List.of(AB), 0, new Faults(1, 1, 0, 0, 0));
      case EVIDENCE_BEFORE_FLUSH, NO_INCARNATION ->
          Setting.of(2, List.of(AB), 0, new Faults(2, 0, 0, 0, 0));
    };
  }

  /** The limit of a proposal's wait alone ends what both of them wait for. */
  @Test
  void aCoordinatedTransactionNeedsNoLimitForProposalsThatWait() {
    Exploration.Result result = new Exploration(beside(), STATES_MAX).run();
    assertEquals(Optional.empty(), result.violation(), () -> String.join("; ", result.steps()));
  }

  private static Setting beside() {
    return Setting.of(2, List.of(AB, AB), AB, new Faults(0, 0, 0, 0, 0)).withPatience();
  }

  @Test
  void aTransactionWithoutFaultsIsCommittedAndNothingElse() {
    Exploration.Result result =
        new Exploration(Setting.of(2, List.of(AB), 0, new Faults(0, 0, 0, 0, 0)), STATES_MAX).run();
    assertEquals(Optional.empty(), result.violation());
    assertEquals(1, result.ends());
  }
}
