package org.abelian.router.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Each node of a coordinated commit learns the greatest timestamp of all before its gate opens. */
class LaneClockTest {
  private final List<String> sent = new ArrayList<>();
  private final CoordinatedCommit commit =
      new CoordinatedCommit(
          new SlowNetwork(new FakeTime(), node -> false),
          new GidSource(UUID.randomUUID()),
          new CommitLedger(),
          Pause.SLEEP);

  /** Says yes to everything, and writes down what it gets. */
  private final class Willing implements Participant {
    private final int node;
    private final long clock;
    private final List<String> unanswered = new ArrayList<>();

    Willing(int node, long clock) {
      this.node = node;
      this.clock = clock;
    }

    @Override
    public int nodeId() {
      return node;
    }

    @Override
    public void send(String sql) {
      sent.add(node + ": " + sql.replaceAll("'.*?'", "gid"));
      unanswered.add(sql);
    }

    @Override
    public Answer await(Duration limit) {
      String[] last = unanswered.remove(0).split("; ");
      String command = last[last.length - 1];
      return new Answer.Done(command.replaceAll(" '.*", ""));
    }

    @Override
    public boolean inTransaction() {
      return false;
    }

    @Override
    public long laneClock() {
      return clock;
    }
  }

  private List<String> messages(long holder, long second, long third) {
    CommitOutcome outcome =
        commit.commit(
            new CommitRequest(
                1,
                null,
                List.of(new Willing(1, holder), new Willing(2, second), new Willing(3, third)),
                List.of()));
    assertInstanceOf(CommitOutcome.Committed.class, outcome);
    assertTrue(((CommitOutcome.Committed) outcome).warnings().isEmpty(), outcome::toString);
    return sent.subList(2, sent.size());
  }

  @Test
  void theOthersTimestampsGoToTheHolderAndTheGreatestToThem() {
    assertEquals(
        List.of(
            "1: SELECT abelian.independent_advance(30); SELECT abelian.decide(gid); COMMIT",
            "2: SELECT abelian.independent_advance(40)",
            "2: COMMIT PREPARED gid",
            "3: SELECT abelian.independent_advance(40)",
            "3: COMMIT PREPARED gid"),
        messages(40, 20, 30));
  }

  @Test
  void whoHasMetTheGreatestIsNotTold() {
    assertEquals(
        List.of(
            "1: SELECT abelian.independent_advance(30); SELECT abelian.decide(gid); COMMIT",
            "2: SELECT abelian.independent_advance(30)",
            "2: COMMIT PREPARED gid",
            "3: COMMIT PREPARED gid"),
        messages(10, 20, 30));
  }

  @Test
  void nothingIsToldWhereNoLaneWasUsed() {
    assertEquals(
        List.of(
            "1: SELECT abelian.decide(gid); COMMIT",
            "2: COMMIT PREPARED gid",
            "3: COMMIT PREPARED gid"),
        messages(0, 0, 0));
  }
}
