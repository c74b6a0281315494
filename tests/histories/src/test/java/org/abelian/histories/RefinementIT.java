package org.abelian.histories;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.histories.check.Reads;
import org.abelian.histories.program.Level;
import org.abelian.histories.run.Client;
import org.abelian.histories.run.Laboratory;
import org.abelian.histories.run.ParallelSchedule;
import org.abelian.histories.run.Schedule;
import org.abelian.histories.run.SteppedSchedule;
import org.abelian.histories.run.Table;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Thousands of small concurrent histories, each legal over plain columns. System property {@code
 * abelian.histories} sets how many for each combination, {@code abelian.seed} the first seed.
 */
@WithNode(
    settings = {
      "deadlock_timeout=10ms",
      "abelian.fold_interval=5ms",
      "abelian.fold_after=1ms",
      "abelian.hot_for=10min"
    })
class RefinementIT {
  private static final int COUNT = Integer.getInteger("abelian.histories", 16);
  private static final int STRICT_MODES = 6;
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());

  static Stream<Arguments> combinations() {
    return Stream.of(Level.values())
        .flatMap(
            level ->
                Stream.of(
                    Arguments.of(level, "parallel", (Supplier<Schedule>) ParallelSchedule::new),
                    Arguments.of(level, "stepped", (Supplier<Schedule>) SteppedSchedule::new)));
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("combinations")
  void historiesOverPlainColumnsAreLegal(
      Level level, String name, Supplier<Schedule> schedule, LocalNode node) throws SQLException {
    check(level, schedule.get(), node, false, List.of());
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("combinations")
  void historiesOverAbelianColumnsAreLegal(
      Level level, String name, Supplier<Schedule> schedule, LocalNode node) throws SQLException {
    check(level, schedule.get(), node, true, List.of("SET abelian.split = auto"));
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("combinations")
  void historiesOverAbelianColumnsThatAreAlwaysSplitAreLegal(
      Level level, String name, Supplier<Schedule> schedule, LocalNode node) throws SQLException {
    check(level, schedule.get(), node, true, List.of("SET abelian.split = always"));
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("combinations")
  void historiesOverAbelianColumnsThatAreNeverSplitAreLegal(
      Level level, String name, Supplier<Schedule> schedule, LocalNode node) throws SQLException {
    check(level, schedule.get(), node, true, List.of("SET abelian.split = never"));
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("combinations")
  void historiesInPhasesAreLegal(
      Level level, String name, Supplier<Schedule> schedule, LocalNode node) throws SQLException {
    check(
        level,
        schedule.get(),
        node,
        true,
        List.of("SET abelian.split = auto", "SET abelian.phaser = on"));
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("combinations")
  void historiesOfStrictReadsAreLegal(
      Level level, String name, Supplier<Schedule> schedule, LocalNode node) throws SQLException {
    for (String split : List.of("auto", "always", "never")) {
      for (String phaser : List.of("off", "on")) {
        checkStrict(
            level,
            schedule.get(),
            node,
            List.of(
                "SET abelian.strict_reads = on",
                "SET abelian.split = " + split,
                "SET abelian.phaser = " + phaser));
      }
    }
  }

  private static void checkStrict(
      Level level, Schedule schedule, LocalNode node, List<String> settings) throws SQLException {
    check(level, schedule, node, true, settings, Reads.STRICT, COUNT / STRICT_MODES);
  }

  private static void check(
      Level level, Schedule schedule, LocalNode node, boolean abelian, List<String> settings)
      throws SQLException {
    check(level, schedule, node, abelian, settings, Reads.SNAPSHOT, COUNT);
  }

  private static void check(
      Level level,
      Schedule schedule,
      LocalNode node,
      boolean abelian,
      List<String> settings,
      Reads reads,
      int count)
      throws SQLException {
    try (Connection connection = node.connect()) {
      String name = "t_" + (abelian ? "abelian_" : "plain_") + level.name().toLowerCase();
      Table table = Table.create(connection, name, abelian);
      try (Laboratory laboratory = new Laboratory(node::connect, table, settings, abelian)) {
        Trial trial = new Trial(laboratory, schedule, Client::new, reads);
        boolean illegal = trial.findsIllegal(level, SEED, count);
        System.out.println(level + ", " + name + settings + ", seed " + SEED + ": " + trial);
        if (illegal) {
          trial.shrink();
        }
        assertFalse(illegal, trial::complaint);
        assertTrue(
            trial.undecided() <= 1 + COUNT / 100, () -> "too many histories undecided: " + trial);
      }
    }
  }
}
