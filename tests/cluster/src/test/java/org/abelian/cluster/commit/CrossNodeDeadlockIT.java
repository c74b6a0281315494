package org.abelian.cluster.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.transaction.DeadlockDetector;
import org.abelian.router.transaction.Pause;
import org.abelian.router.transaction.VictimHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@WithCluster(exclusive = true)
@Timeout(120) // a hang is a failure, not a wait
class CrossNodeDeadlockIT {
  private static final String UPDATE = "UPDATE work SET v = v + 10 WHERE id = 1";

  private final LocalCluster cluster;

  CrossNodeDeadlockIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @Test
  void oneOfTwoSessionsThatWaitForEachOtherOnDifferentNodesIsCancelled() throws Exception {
    try (CommitBench bench = new CommitBench(cluster)) {
      bench.reset();
      bench.on(cluster.node(0), "INSERT INTO work VALUES (1, 1)");
      bench.on(cluster.node(1), "INSERT INTO work VALUES (1, 1)");
      JdbcParticipant oneHere = bench.begin(1, UPDATE, 1).get(0);
      JdbcParticipant oneThere = bench.begin(1, "SELECT 1", 2).get(0);
      JdbcParticipant otherThere = bench.begin(2, UPDATE, 2).get(0);
      JdbcParticipant otherHere = bench.begin(2, "SELECT 1", 1).get(0);
      CompletableFuture<Void> one = later(oneThere);
      CompletableFuture<Void> other = later(otherHere);

      Marked marked = new Marked();
      DeadlockDetector detector =
          new DeadlockDetector(bench.waits, marked, bench.router, Pause.SLEEP);
      int cancelled = 0;
      for (int round = 0; round < 200 && cancelled == 0; round++) {
        cancelled = detector.runOnce();
        Pause.SLEEP.pause(Duration.ofMillis(20));
      }
      assertEquals(1, cancelled);
      assertEquals(List.of(2L), marked.sessions, "the younger transaction");
      AbelianException error = marked.errors.get(0);
      assertEquals(SqlState.DEADLOCK_DETECTED, error.state());
      assertEquals(2, error.detail().split("UPDATE work", -1).length - 1, error.detail());
      assertEquals("57014", stateOf(other));

      otherThere.execute("ROLLBACK");
      one.join();
      oneHere.execute("COMMIT");
      oneThere.execute("COMMIT");
      assertTrue(detector.runOnce() == 0, "nothing is left to resolve");
    }
  }

  private static CompletableFuture<Void> later(JdbcParticipant part) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            part.execute(UPDATE);
          } catch (SQLException failed) {
            throw new CompletionException(failed);
          }
        });
  }

  private static String stateOf(CompletableFuture<Void> failed) {
    try {
      failed.join();
      return "no error";
    } catch (CompletionException e) {
      return ((SQLException) e.getCause()).getSQLState();
    }
  }

  private static final class Marked implements VictimHandler {
    final List<Long> sessions = new ArrayList<>();
    final List<AbelianException> errors = new ArrayList<>();

    @Override
    public void mark(long session, AbelianException error) {
      sessions.add(session);
      errors.add(error);
    }

    @Override
    public boolean keepsOrder(long session) {
      return false;
    }

    @Override
    public void spare(long session, AbelianException error) {
      sessions.remove(session);
    }
  }
}
