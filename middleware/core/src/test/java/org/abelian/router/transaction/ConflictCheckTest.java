package org.abelian.router.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.abelian.router.error.SqlState;
import org.junit.jupiter.api.Test;

/** No pivot over several nodes commits (docs/protocols/serializable.md, "Why it is right"). */
class ConflictCheckTest {
  private static final List<String> SETS = List.of("none", "in", "out", "both");

  private final List<String> sent = new ArrayList<>();

  /** A node that tells of these conflicts, and votes yes. */
  private final class Node implements Participant {
    private final int id;
    private final String conflicts;
    private boolean open = true;
    private String last;

    Node(int id, String conflicts) {
      this.id = id;
      this.conflicts = conflicts;
    }

    @Override
    public int nodeId() {
      return id;
    }

    @Override
    public void send(String sql) {
      sent.add(id + ": " + sql.replaceAll("'abelian:[^']*'", "gid"));
      last = sql;
    }

    @Override
    public Answer await(Duration limit) {
      if (last.contains("finish_deferred")) {
        return new Answer.Done("SELECT 1", "");
      }
      if (last.contains("hold_conflicts")) {
        return conflicts == null
            ? new Answer.Failed("40001", "doomed", null, null)
            : new Answer.Done("SELECT 1", conflicts);
      }
      open = false;
      String end = last.substring(last.lastIndexOf("; ") < 0 ? 0 : last.lastIndexOf("; ") + 2);
      return new Answer.Done(end.replaceAll(" '.*", ""));
    }

    @Override
    public boolean inTransaction() {
      return open;
    }

    /** What the node was told to assume: {@code kept in}, {@code kept out}. */
    boolean keeps(String side) {
      String kept =
          sent.stream()
              .filter(text -> text.startsWith(id + ":") && text.contains("settle_conflicts"))
              .map(text -> text.replaceAll(".*settle_conflicts\\(gid,'([a-z]+)'\\).*", "$1"))
              .findFirst()
              .orElseThrow();
      return kept.equals(side) || kept.equals("both");
    }

    boolean told(String side) {
      return side.equals(conflicts) || "both".equals(conflicts);
    }
  }

  private CommitOutcome commit(List<Node> nodes) {
    sent.clear();
    CoordinatedCommit commit =
        new CoordinatedCommit(
            new SlowNetwork(new FakeTime(), node -> false),
            new GidSource(new UUID(0, 1)),
            new CommitLedger(),
            new FakeTime());
    return commit.commit(
        new CommitRequest(1, "1:1", List.copyOf(nodes), List.of(), List.of(), List.of(), true));
  }

  @Test
  void whatNodesTellAndWhatTheyAreToldLeavesNoPivot() {
    for (int i = 0; i < 64; i++) {
      List<Node> nodes =
          List.of(
              new Node(2, SETS.get(i % 4)),
              new Node(1, SETS.get(i / 4 % 4)),
              new Node(3, SETS.get(i / 16)));
      CommitOutcome outcome = commit(nodes);
      boolean pivot = false;
      for (Node a : nodes) {
        for (Node b : nodes) {
          pivot |= a != b && a.told("in") && b.told("out");
        }
      }
      if (pivot) {
        var rolledBack = assertInstanceOf(CommitOutcome.RolledBack.class, outcome, sent.toString());
        assertEquals(SqlState.SERIALIZATION_FAILURE, rolledBack.error().state());
        assertEquals(3, sent.stream().filter(text -> text.endsWith(": ROLLBACK")).count());
      } else {
        assertInstanceOf(CommitOutcome.Committed.class, outcome, sent.toString());
        for (Node a : nodes) {
          for (Node b : nodes) {
            assertTrue(a == b || noPivotComes(a, b), sent.toString());
          }
        }
      }
    }
  }

  /** A conflict in on A and one out on B, of which at least one has not been told. */
  private static boolean noPivotComes(Node a, Node b) {
    return (!b.told("out") || a.keeps("out"))
        && (!a.told("in") || b.keeps("in"))
        && (a.keeps("out") || b.keeps("in"));
  }

  @Test
  void nodesAreHeldInTheOrderOfTheirNumbersBeforeAnyVotes() {
    assertNotNull(commit(List.of(new Node(3, "none"), new Node(1, "out"), new Node(2, "none"))));
    assertEquals(
        List.of(
            "3: SELECT abelian.finish_deferred()",
            "1: SELECT abelian.finish_deferred()",
            "2: SELECT abelian.finish_deferred()",
            "1: SELECT abelian.hold_conflicts(gid)",
            "2: SELECT abelian.hold_conflicts(gid)",
            "3: SELECT abelian.hold_conflicts(gid)",
            "1: SELECT abelian.settle_conflicts(gid,'out'); PREPARE TRANSACTION gid",
            "2: SELECT abelian.settle_conflicts(gid,'both'); PREPARE TRANSACTION gid",
            "3: SELECT abelian.settle_conflicts(gid,'both'); SELECT abelian.decide(gid); COMMIT",
            "1: COMMIT PREPARED gid",
            "2: COMMIT PREPARED gid"),
        sent);
  }

  @Test
  void aTransactionThatANodeWillNotHaveIsRolledBackEverywhere() {
    CommitOutcome outcome = commit(List.of(new Node(1, "none"), new Node(2, null)));
    assertInstanceOf(CommitOutcome.RolledBackByNode.class, outcome);
    assertEquals(List.of("1: ROLLBACK", "2: ROLLBACK"), sent.subList(4, sent.size()));
  }
}
