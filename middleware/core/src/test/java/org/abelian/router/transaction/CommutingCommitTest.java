package org.abelian.router.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What each of several transactions that share local transactions is told when a node is lost. */
class CommutingCommitTest {
  private static final int CALLS = 12;
  private static final List<Integer> NODES = List.of(1, 2);

  private final IntentLedger ledger = new IntentLedger(new GidSource(new UUID(0, 1)));

  /** Numbers of the transactions whose part at node 2 was done from their intents. */
  private final Set<Long> applied = new HashSet<>();

  /** So many completions meet a lock. */
  private int locked;

  /** Whether completions find a fault of the router. */
  private boolean faulty;

  private Barring barring = Barring.BARRED;

  /** Node 1 has committed; node 2 refuses to complete some of the transactions. */
  private final class Nodes implements IntentNetwork {
    private final LongPredicate refused;

    Nodes(LongPredicate refused) {
      this.refused = refused;
    }

    @Override
    public List<Integer> nodes() {
      return NODES;
    }

    @Override
    public String describe(int node) {
      return "node " + node;
    }

    @Override
    public Optional<StoredIntent> read(int node, IntentId id) {
      return Optional.of(new StoredIntent(id, true, new Intent(NODES, "{}"), "owner"));
    }

    @Override
    public boolean apply(int node, StoredIntent stored) throws NodeUnreachableException {
      if (faulty) {
        throw new IllegalStateException("fault");
      }
      if (refused.test(stored.id().number())) {
        throw new NodeUnreachableException(node, "no answer", null);
      }
      if (--locked >= 0) {
        return false;
      }
      applied.add(stored.id().number());
      return true;
    }

    @Override
    public List<UUID> routers(int node, UUID except, Duration olderThan) {
      throw new AssertionError("for recovery");
    }

    @Override
    public List<StoredIntent> intents(int node, UUID router, int limit) {
      throw new AssertionError("for recovery");
    }

    @Override
    public Barring bar(int node, IntentId id, List<Integer> nodes) {
      return barring;
    }

    @Override
    public void close(int node, UUID router, long below) {
      throw new AssertionError("for recovery");
    }

    @Override
    public void forget(int node, UUID router, long below) {
      throw new AssertionError("for recovery");
    }

    @Override
    public void record(Gid gid, boolean committed) {
      throw new AssertionError("for recovery");
    }
  }

  /** A participant with its answer. */
  private record Fragment(int nodeId, Answer answer) implements CommutingFragment {
    @Override
    public void send(List<IntentId> ids, List<Intent> intents) {}

    @Override
    public Answer await() {
      return answer;
    }
  }

  private List<CommutingEnding> run(LongPredicate refused) {
    return run(refused, new Fragment(2, new Answer.Lost("gone")));
  }

  private List<CommutingEnding> run(LongPredicate refused, CommutingFragment second) {
    return run(refused, new Fragment(1, new Answer.Done("COMMIT")), second);
  }

  private List<CommutingEnding> run(
      LongPredicate refused, CommutingFragment first, CommutingFragment second) {
    CommutingCommit commit = new CommutingCommit(new Nodes(refused), ledger, new FakeTime());
    List<Intent> intents =
        IntStream.range(0, CALLS).mapToObj(i -> new Intent(NODES, "{}")).toList();
    return commit.run(1, intents, List.of(first, second));
  }

  @Test
  void allAreToldThatTheyAreCommittedWhenOneNodeHasCommittedAndTheOtherStaysLost() {
    for (CommutingEnding ending : run(number -> true)) {
      List<String> warnings =
          assertInstanceOf(CommitOutcome.Committed.class, ending.outcome()).warnings();
      assertEquals(1, warnings.size());
      assertTrue(warnings.get(0).contains("node 2"), warnings.get(0));
    }
    assertEquals(CALLS, ledger.left(2 * CALLS).size(), "left to recovery");
  }

  @Test
  void someThatCannotBeCompletedDoNotKeepTheOthersFromIt() {
    List<CommutingEnding> endings = run(number -> number <= 2);
    List<Integer> warned = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      CommitOutcome outcome = endings.get(i).outcome();
      if (!assertInstanceOf(CommitOutcome.Committed.class, outcome).warnings().isEmpty()) {
        warned.add(i);
      }
    }
    assertEquals(List.of(0, 1), warned);
    Set<Long> others =
        IntStream.rangeClosed(3, CALLS).mapToObj(Long::valueOf).collect(Collectors.toSet());
    assertEquals(others, applied);
  }

  @Test
  void whoMeetsALockIsCompletedWhenItIsFree() {
    CommutingEnding ending = run(number -> false).get(0);
    locked = 5; // more often than a node that gives no answer would be asked
    assertEquals(new CommitOutcome.Committed(List.of()), ending.outcome());
    assertEquals(Set.of(1L), applied);
  }

  @Test
  void aLockThatStaysLeavesTheRestToRecovery() {
    CommutingEnding ending = run(number -> false).get(0);
    locked = Integer.MAX_VALUE;
    List<String> warnings =
        assertInstanceOf(CommitOutcome.Committed.class, ending.outcome()).warnings();
    assertEquals(1, warnings.size());
    assertEquals(1, ledger.left(CALLS).size());
  }

  @Test
  void whatTheAnswersTellIsKnownAtOnce() {
    Fragment done = new Fragment(2, new Answer.Done("COMMIT"));
    assertTrue(run(number -> false, done).stream().allMatch(CommutingEnding::isKnown));
    assertTrue(run(number -> false).stream().noneMatch(CommutingEnding::isKnown));
  }

  @Test
  void afterAFaultOfTheRouterAllAreLeftToRecovery() {
    CommutingFragment faulty =
        new CommutingFragment() {
          @Override
          public int nodeId() {
            return 2;
          }

          @Override
          public void send(List<IntentId> ids, List<Intent> intents) {}

          @Override
          public Answer await() {
            throw new IllegalStateException("fault");
          }
        };
    assertThrows(IllegalStateException.class, () -> run(number -> false, faulty));
    assertEquals(CALLS, ledger.left(2 * CALLS).size(), "left to recovery");
  }

  @Test
  void afterAFaultOfTheRouterInACompletionTheRestIsLeftToRecovery() {
    CommutingEnding ending = run(number -> false).get(0);
    faulty = true;
    assertThrows(IllegalStateException.class, ending::outcome);
    assertEquals(1, ledger.left(CALLS).size());
    List<String> warnings =
        assertInstanceOf(CommitOutcome.Committed.class, ending.outcome()).warnings();
    assertEquals(1, warnings.size());
  }

  @Test
  void afterAFaultOfTheRouterInACompletionThatSettlingHasLedToTheRestIsLeft() {
    Answer.Lost lost = new Answer.Lost("gone");
    CommutingEnding ending =
        run(number -> false, new Fragment(1, lost), new Fragment(2, lost)).get(0);
    barring = Barring.COMMITTED;
    faulty = true;
    assertThrows(IllegalStateException.class, ending::outcome);
    assertEquals(1, ledger.left(CALLS).size());
  }

  /** A lane that is busy, for example: neither lost connections nor another's work are to blame. */
  @Test
  void whatAllNodesRefuseIsToldInTheWordsOfTheFirst() {
    Answer.Failed busy = new Answer.Failed("40001", "the lane is busy", null, new byte[0]);
    Answer.Failed barred = new Answer.Failed("23505", "duplicate key", "intent_pkey", new byte[0]);
    for (CommutingEnding ending :
        run(number -> false, new Fragment(1, barred), new Fragment(2, busy))) {
      CommitOutcome.RolledBackByNode refusal =
          assertInstanceOf(CommitOutcome.RolledBackByNode.class, ending.outcome());
      assertEquals(busy, refusal.failure());
      assertEquals(2, refusal.node());
    }
    assertEquals(0, ledger.left(CALLS).size());
  }
}
