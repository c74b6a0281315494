package org.abelian.histories;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.histories.broken.AddAfterCloseClient;
import org.abelian.histories.broken.AddToDeletedClient;
import org.abelian.histories.broken.DirtyReadClient;
import org.abelian.histories.broken.DoubleAdditionClient;
import org.abelian.histories.broken.ForgottenSavepointClient;
import org.abelian.histories.broken.LostUpdateClient;
import org.abelian.histories.broken.NonAtomicAbortClient;
import org.abelian.histories.broken.RewritingClient;
import org.abelian.histories.broken.SharedNumberClient;
import org.abelian.histories.broken.StaleAnswerClient;
import org.abelian.histories.broken.StaleReadClient;
import org.abelian.histories.broken.StaleRemovalClient;
import org.abelian.histories.broken.TornReadClient;
import org.abelian.histories.broken.UncheckedElementClient;
import org.abelian.histories.broken.UnheldElementClient;
import org.abelian.histories.broken.WriteSkewClient;
import org.abelian.histories.check.Reads;
import org.abelian.histories.program.Column;
import org.abelian.histories.program.Level;
import org.abelian.histories.run.Client;
import org.abelian.histories.run.ClientFactory;
import org.abelian.histories.run.Laboratory;
import org.abelian.histories.run.ParallelSchedule;
import org.abelian.histories.run.Schedule;
import org.abelian.histories.run.SteppedSchedule;
import org.abelian.histories.run.Table;
import org.junit.jupiter.api.Test;

/** A checker that never complains proves nothing: each of these faults must be noticed. */
@WithNode(settings = {"deadlock_timeout=10ms"})
class CheckerIT {
  /** Bound on the search for a history that shows the fault. */
  private static final int HISTORIES_MAX = 3000;

  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());

  private final LocalNode node;

  CheckerIT(LocalNode node) {
    this.node = node;
  }

  @Test
  void noticesALostUpdate() throws SQLException {
    mustNotice(Level.READ_COMMITTED, new SteppedSchedule(), LostUpdateClient::new);
  }

  @Test
  void noticesADirtyRead() throws SQLException {
    mustNotice(Level.READ_COMMITTED, new SteppedSchedule(), DirtyReadClient::new);
  }

  @Test
  void noticesANonAtomicAbort() throws SQLException {
    mustNotice(Level.READ_COMMITTED, new SteppedSchedule(), NonAtomicAbortClient::new);
  }

  @Test
  void noticesATornReadOfTwoRows() throws SQLException {
    mustNotice(Level.READ_COMMITTED, new ParallelSchedule(), TornReadClient::new);
  }

  @Test
  void noticesAnAdditionAppliedTwice() throws SQLException {
    mustNotice(Level.READ_COMMITTED, new SteppedSchedule(), DoubleAdditionClient::new);
  }

  @Test
  void noticesAnAdditionAfterTheClose() throws SQLException {
    mustNotice(Level.READ_COMMITTED, new SteppedSchedule(), AddAfterCloseClient::new);
  }

  @Test
  void noticesAnAdditionToADeletedRowReportedAsApplied() throws SQLException {
    mustNotice(Level.READ_COMMITTED, new SteppedSchedule(), AddToDeletedClient::new);
  }

  @Test
  void noticesWriteSkewUnderSerializable() throws SQLException {
    mustNotice(Level.SERIALIZABLE, new SteppedSchedule(), WriteSkewClient::new);
  }

  @Test
  void noticesAStaleReadAfterCommit() throws SQLException {
    mustNotice(Level.READ_COMMITTED, new SteppedSchedule(), StaleReadClient::new);
  }

  @Test
  void noticesAStaleSnapshotUnderRepeatableRead() throws SQLException {
    mustNotice(Level.REPEATABLE_READ, new SteppedSchedule(), StaleReadClient::new);
  }

  @Test
  void noticesAnAdditionThatSurvivesRollbackToSavepoint() throws SQLException {
    mustNotice(Level.READ_COMMITTED, new SteppedSchedule(), ForgottenSavepointClient::new);
  }

  @Test
  void noticesANumberReturnedTwice() throws SQLException {
    mustNotice(Level.READ_COMMITTED, new SteppedSchedule(), SharedNumberClient::new);
  }

  @Test
  void noticesAScoreMadeOfAnOldOne() throws SQLException {
    mustNotice(Level.READ_COMMITTED, new ParallelSchedule(), StaleRemovalClient::new);
  }

  @Test
  void noticesAnOperationLeftUndoneBesideOneThatUndoesIt() throws SQLException {
    mustNotice(Level.READ_COMMITTED, new SteppedSchedule(), UncheckedElementClient::new);
  }

  @Test
  void noticesAMultisetMadeOfAnOldOne() throws SQLException {
    mustNotice(Level.READ_COMMITTED, new ParallelSchedule(), rewriting(Column.COUNTS));
  }

  @Test
  void noticesADictMadeOfAnOldOne() throws SQLException {
    mustNotice(Level.READ_COMMITTED, new ParallelSchedule(), rewriting(Column.ENTRIES));
  }

  @Test
  void noticesAnAnswerMadeOfAnOldRow() throws SQLException {
    mustNotice(Level.READ_COMMITTED, new SteppedSchedule(), StaleAnswerClient::new);
  }

  private static ClientFactory rewriting(Column column) {
    return (connection, table, offset) -> new RewritingClient(connection, table, offset, column);
  }

  @Test
  void noticesAReadThatIsNotStrict() throws SQLException {
    for (Level level : List.of(Level.READ_COMMITTED, Level.REPEATABLE_READ)) {
      mustNotice(level, new SteppedSchedule(), Client::new, Reads.STRICT);
    }
  }

  @Test
  void noticesAnElementThatIsNotHeld() throws SQLException {
    mustNotice(
        Level.READ_COMMITTED,
        new SteppedSchedule(),
        UnheldElementClient::new,
        Reads.STRICT,
        List.of("SET abelian.strict_reads = on", "SET abelian.split = always"));
  }

  private void mustNotice(Level level, Schedule schedule, ClientFactory clients)
      throws SQLException {
    mustNotice(level, schedule, clients, Reads.SNAPSHOT);
  }

  private void mustNotice(Level level, Schedule schedule, ClientFactory clients, Reads reads)
      throws SQLException {
    mustNotice(level, schedule, clients, reads, List.of());
  }

  /** Over Abelian columns if there are settings for them. */
  private void mustNotice(
      Level level, Schedule schedule, ClientFactory clients, Reads reads, List<String> settings)
      throws SQLException {
    boolean abelian = !settings.isEmpty();
    try (Connection connection = node.connect()) {
      Table table = Table.create(connection, "t_broken", abelian);
      try (Laboratory laboratory = new Laboratory(node::connect, table, settings, abelian)) {
        Trial trial = new Trial(laboratory, schedule, clients, reads);
        boolean noticed = trial.findsIllegal(level, SEED, HISTORIES_MAX);
        assertTrue(noticed, () -> "not noticed from seed " + SEED + ": " + trial);
        assertFalse(trial.hadUnexpectedError(), trial::complaint);
        System.out.println(trial.legal() + " legal ones before: " + trial.complaint());
      }
    }
  }
}
