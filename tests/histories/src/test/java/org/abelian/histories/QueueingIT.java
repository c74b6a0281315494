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
import org.abelian.histories.broken.ImpatientClient;
import org.abelian.histories.broken.UnorderedReadClient;
import org.abelian.histories.check.Reads;
import org.abelian.histories.program.QueueingGenerator;
import org.abelian.histories.run.Client;
import org.abelian.histories.run.ClientFactory;
import org.abelian.histories.run.Laboratory;
import org.abelian.histories.run.ParallelSchedule;
import org.abelian.histories.run.Schedule;
import org.abelian.histories.run.SteppedSchedule;
import org.abelian.histories.run.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Transactions that use what they have operated on, in programs that over plain columns only queue:
 * over Abelian columns every history must be legal. Errors that plain columns do not have are
 * counted there, since docs/design/waits.md does not rule them out. System property {@code
 * abelian.histories} sets how many for each combination, {@code abelian.seed} the first seed.
 */
@WithNode(
    settings = {"deadlock_timeout=100ms", "abelian.fold_interval=5ms", "abelian.fold_after=1ms"})
class QueueingIT {
  private static final int COUNT = Integer.getInteger("abelian.histories", 24) / 2;
  private static final int BROKEN_HISTORIES_MAX = 1000;
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());

  private final LocalNode node;

  QueueingIT(LocalNode node) {
    this.node = node;
  }

  static Stream<Arguments> combinations() {
    return Stream.of("plain", "auto", "always")
        .flatMap(
            split ->
                Stream.of(
                    Arguments.of(split, "parallel", (Supplier<Schedule>) ParallelSchedule::new),
                    Arguments.of(split, "stepped", (Supplier<Schedule>) SteppedSchedule::new)));
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("combinations")
  void whoeverUsesWhatItHasOperatedOnQueues(String split, String name, Supplier<Schedule> schedule)
      throws SQLException {
    boolean abelian = !split.equals("plain");
    List<String> settings = abelian ? List.of("SET abelian.split = " + split) : List.of();
    run(
        abelian,
        settings,
        schedule.get(),
        Client::new,
        COUNT,
        (trial, illegal) -> {
          System.out.println(split + ", " + name + ", seed " + SEED + ": " + trial);
          if (illegal) {
            trial.shrink();
          }
          assertFalse(illegal, trial::complaint);
          assertTrue(trial.undecided() <= 1 + COUNT / 100, () -> "undecided: " + trial);
        });
  }

  @Test
  void noticesAReadThatDoesNotOrderTheOthersAfterItself() throws SQLException {
    mustNotice(UnorderedReadClient::new);
  }

  @Test
  void noticesAnErrorInThePlaceOfAWait() throws SQLException {
    mustNotice(ImpatientClient::new);
  }

  private void mustNotice(ClientFactory clients) throws SQLException {
    run(
        false,
        List.of(),
        new SteppedSchedule(),
        clients,
        BROKEN_HISTORIES_MAX,
        (trial, illegal) -> {
          assertTrue(illegal, () -> "not noticed from seed " + SEED + ": " + trial);
          assertFalse(trial.hadUnexpectedError(), trial::complaint);
        });
  }

  private interface Judgement {
    void of(Trial trial, boolean illegal) throws SQLException;
  }

  private void run(
      boolean abelian,
      List<String> settings,
      Schedule schedule,
      ClientFactory clients,
      int count,
      Judgement judgement)
      throws SQLException {
    try (Connection connection = node.connect()) {
      Table table = Table.create(connection, "t_queueing", abelian);
      try (Laboratory laboratory = new Laboratory(node::connect, table, settings, abelian)) {
        Trial trial = new Trial(laboratory, schedule, clients, Reads.SNAPSHOT);
        if (abelian) {
          trial.tolerant();
        }
        judgement.of(trial, trial.findsIllegal(QueueingGenerator::generate, SEED, count));
      }
    }
  }
}
