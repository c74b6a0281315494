package org.abelian.router.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** How long a client waits at most when nodes fall silent during its COMMIT. */
class CommitBoundsTest {
  private static final Duration LONGEST = Duration.ofSeconds(10);

  private final FakeTime time = new FakeTime();

  /** Answers as it should until a certain message; from there on there is silence. */
  private final class Falling implements Participant {
    private final int node;
    private final String silentFrom;
    private String last = "";

    Falling(int node, String silentFrom) {
      this.node = node;
      this.silentFrom = silentFrom;
    }

    @Override
    public int nodeId() {
      return node;
    }

    @Override
    public void send(String sql) {
      last = sql;
    }

    @Override
    public Answer await(Duration limit) {
      if (silentFrom != null && last.startsWith(silentFrom)) {
        time.pause(limit);
        return new Answer.Lost("silence");
      }
      if (last.endsWith("COMMIT")) {
        return new Answer.Done("COMMIT");
      }
      return new Answer.Done(last.substring(0, last.indexOf(" '")));
    }

    @Override
    public boolean inTransaction() {
      return false;
    }
  }

  private CommitOutcome commit(IntPredicate silentCalls, Participant... writers) {
    SlowNetwork network = new SlowNetwork(time, silentCalls);
    CoordinatedCommit commit =
        new CoordinatedCommit(network, new GidSource(new UUID(0, 1)), new CommitLedger(), time);
    return commit.commit(new CommitRequest(1, "1:1", List.of(writers), List.of()));
  }

  @Test
  void nodesThatFallSilentAfterTheDecisionAreNamedInWarningsInTime() {
    CommitOutcome outcome =
        commit(
            node -> node > 1,
            new Falling(1, null),
            new Falling(2, "COMMIT PREPARED"),
            new Falling(3, "COMMIT PREPARED"));
    List<String> warnings = assertInstanceOf(CommitOutcome.Committed.class, outcome).warnings();
    assertEquals(2, warnings.size(), warnings.toString());
    assertTrue(warnings.get(0).contains("node 2"), warnings.get(0));
    assertTrue(warnings.get(1).contains("node 3"), warnings.get(1));
    assertInTime();
  }

  @Test
  void aConnectionThatFallsSilentAfterTheDecisionIsReplaced() {
    CommitOutcome outcome =
        commit(node -> false, new Falling(1, null), new Falling(2, "COMMIT PREPARED"));
    assertEquals(new CommitOutcome.Committed(List.of()), outcome);
    assertInTime();
  }

  @Test
  void aHolderThatIsGoneLeavesTheClientWithATokenInTime() {
    Participant gone =
        new Participant() {
          @Override
          public int nodeId() {
            return 1;
          }

          @Override
          public void send(String sql) {}

          @Override
          public Answer await(Duration limit) {
            return new Answer.Lost("connection reset");
          }

          @Override
          public boolean inTransaction() {
            return false;
          }
        };
    CommitOutcome outcome = commit(node -> node == 1, gone, new Falling(2, null));
    assertInstanceOf(CommitOutcome.Unknown.class, outcome);
    assertInTime();
  }

  @Test
  void aSingleNodeThatIsGoneLeavesTheClientWithATokenInTime() {
    CoordinatedCommit commit =
        new CoordinatedCommit(
            new SlowNetwork(time, node -> true),
            new GidSource(new UUID(0, 1)),
            new CommitLedger(),
            time);
    assertInstanceOf(
        CommitOutcome.Unknown.class, commit.outcomeOfLostCommit("1:1", 1, "connection reset"));
    assertInTime();
  }

  private void assertInTime() {
    assertTrue(time.passed().compareTo(LONGEST) <= 0, "it took " + time.passed());
  }
}
