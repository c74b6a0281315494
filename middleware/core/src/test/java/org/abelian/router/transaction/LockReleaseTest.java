package org.abelian.router.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Locks are let go when everything that the transaction has done can be seen. */
class LockReleaseTest {
  private final FakeTime time = new FakeTime();

  /** What nodes are sent, and have answered, in this order. */
  private final List<String> events = new ArrayList<>();

  private final class Node implements Participant {
    private final int id;
    private final boolean lost;
    private final Deque<String> sent = new ArrayDeque<>();
    private boolean open = true;

    Node(int id, boolean lost) {
      this.id = id;
      this.lost = lost;
    }

    @Override
    public int nodeId() {
      return id;
    }

    @Override
    public void send(String sql) {
      sent.add(sql);
      events.add(id + " < " + name(sql));
    }

    @Override
    public Answer await(Duration limit) {
      String sql = sent.remove();
      if (lost) {
        return new Answer.Lost("connection reset");
      }
      open &= sql.isEmpty();
      events.add(id + " > " + name(sql));
      return new Answer.Done(sql.endsWith("; COMMIT") ? "COMMIT" : name(sql));
    }

    private String name(String sql) {
      int gid = sql.indexOf(" '");
      return sql.contains("decide") ? "decide" : gid < 0 ? sql : sql.substring(0, gid);
    }

    @Override
    public boolean inTransaction() {
      return open && !lost;
    }
  }

  private Node node(int id) {
    return new Node(id, false);
  }

  private CommitOutcome commit(
      List<Participant> writers, List<Participant> last, List<Participant> lockHolders) {
    CoordinatedCommit commit =
        new CoordinatedCommit(
            new SlowNetwork(time, node -> false),
            new GidSource(new UUID(0, 1)),
            new CommitLedger(),
            time);
    return commit.commit(new CommitRequest(1, "1:1", writers, last, List.of(), lockHolders, false));
  }

  private void assertOrder(String first, String second) {
    assertTrue(events.contains(first) && events.contains(second), events::toString);
    assertTrue(events.indexOf(first) < events.indexOf(second), events::toString);
  }

  @Test
  void lockOutlivesCommitOfOnlyWriter() {
    commit(List.of(node(1)), List.of(), List.of(node(2)));
    assertEquals(
        List.of("2 < ", "2 > ", "1 < COMMIT", "1 > COMMIT", "2 < COMMIT", "2 > COMMIT"), events);
  }

  @Test
  void lockOutlivesCommitOfAllWriters() {
    commit(List.of(node(1), node(2), node(3)), List.of(), List.of(node(4)));
    assertOrder("4 > ", "1 < decide");
    assertOrder("2 > COMMIT PREPARED", "4 < COMMIT");
    assertOrder("3 > COMMIT PREPARED", "4 < COMMIT");
  }

  @Test
  void whatLockedFirstIsToldLast() {
    Participant first = node(3);
    commit(List.of(node(1), node(2), first), List.of(first), List.of());
    assertOrder("2 > COMMIT PREPARED", "3 < COMMIT PREPARED");
  }

  @Test
  void lostLockEndsTransaction() {
    for (List<Participant> writers :
        List.<List<Participant>>of(List.of(node(1)), List.of(node(1), node(2)))) {
      events.clear();
      CommitOutcome outcome = commit(writers, List.of(), List.of(new Node(4, true)));
      assertInstanceOf(CommitOutcome.RolledBack.class, outcome);
      assertTrue(events.contains("1 < ROLLBACK"), events::toString);
      assertTrue(events.stream().noneMatch(event -> event.endsWith("COMMIT")), events::toString);
    }
  }
}
