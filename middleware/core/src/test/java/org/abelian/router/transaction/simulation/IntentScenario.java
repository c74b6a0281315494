package org.abelian.router.transaction.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.abelian.router.transaction.Answer;
import org.abelian.router.transaction.CommitOutcome;
import org.abelian.router.transaction.CommitRequest;
import org.abelian.router.transaction.CommutingCommit;
import org.abelian.router.transaction.CommutingEnding;
import org.abelian.router.transaction.CommutingFragment;
import org.abelian.router.transaction.GidSource;
import org.abelian.router.transaction.Intent;
import org.abelian.router.transaction.IntentId;
import org.abelian.router.transaction.IntentLedger;
import org.abelian.router.transaction.IntentRecovery;
import org.abelian.router.transaction.StoredIntent;

/**
 * Transactions of blind operations on some nodes that are being committed, while their own router
 * and another recover and forget; then peace, and a look at what came of them.
 *
 * @param writers so many nodes
 * @param calls so many share a message in which the work goes with the commit, so that it may fail
 *     on one node alone; 0 for one that has done its work before
 * @param neighbour whether a later transaction of the same router has committed everywhere before
 * @param flaw built into the nodes, or null
 */
record IntentScenario(int writers, int faultsMax, int calls, boolean neighbour, IntentFlaw flaw) {
  private static final String WORK = "work";
  private static final long NEIGHBOUR = 9;
  private static final int LAST_ROUNDS = 3;
  private static final UUID OWN = new UUID(0, 1);
  private static final UUID OTHER = new UUID(0, 2);
  private static final UUID LAST = new UUID(0, 3);

  /** What one run came to. */
  record Result(Optional<String> violation, List<CommitOutcome> outcomes, String trace) {}

  Result run(Choices choices) {
    World world = new World(choices, writers, faultsMax, Set.of());
    world.build(flaw);
    if (neighbour) {
      commitNeighbour(world);
    }
    List<CommitOutcome> answers = new ArrayList<>();
    List<String> violations = new ArrayList<>();
    IntentLedger ledger = new IntentLedger(new GidSource(OWN));
    world.scheduler().spawn(Scenario.COORDINATOR, () -> commit(world, ledger, answers, violations));
    world.scheduler().spawn("own recovery", () -> recover(world, ledger, OWN, 1));
    world.scheduler().spawn("other recovery", () -> recover(world, newLedger(OTHER), OTHER, 2));
    try {
      world.scheduler().run();
      world.calm();
      world
          .scheduler()
          .spawn("last recovery", () -> recover(world, newLedger(LAST), LAST, LAST_ROUNDS));
      world.scheduler().run();
    } catch (IllegalStateException stuck) {
      world.scheduler().abandon();
      throw stuck;
    }
    for (int number = 1; number <= Math.max(calls, 1); number++) {
      // The router may have died before it told all of them.
      violations.addAll(
          check(world, number, number > answers.size() ? null : answers.get(number - 1)));
    }
    return new Result(violations.stream().findFirst(), answers, world.scheduler().trace());
  }

  private static void commitNeighbour(World world) {
    IntentId id = new IntentId(OWN, NEIGHBOUR);
    StoredIntent row = new StoredIntent(id, true, new Intent(world.nodeIds(), "{}"), "app");
    world.nodeIds().forEach(node -> world.node(node).intents.rows.put(NEIGHBOUR, row));
  }

  private static IntentLedger newLedger(UUID router) {
    return new IntentLedger(new GidSource(router));
  }

  private void commit(
      World world, IntentLedger ledger, List<CommitOutcome> answers, List<String> violations) {
    List<ModelConnection> parts = new ArrayList<>();
    List<Integer> nodes = IntStream.rangeClosed(1, writers).boxed().toList();
    nodes.forEach(node -> parts.add(world.connect(node, WORK, false)));
    CommutingCommit commit =
        new CommutingCommit(new ModelIntentNetwork(world), ledger, time -> world.pass(() -> true));
    Intent intent = new Intent(nodes, "{}");
    if (calls == 0) {
      CommitRequest request = new CommitRequest(7, null, List.copyOf(parts), List.of());
      answers.add(commit.commit(request, intent));
    } else {
      List<Intent> intents = Collections.nCopies(calls, intent);
      List<CommutingEnding> endings =
          commit.run(7, intents, parts.stream().map(Part::new).toList());
      endings.forEach(ending -> answers.add(ending.outcome()));
    }
    for (int number = 1; number <= answers.size(); number++) {
      boolean silent =
          answers.get(number - 1) instanceof CommitOutcome.Committed done
              && done.warnings().isEmpty();
      if (silent && doneNodes(world, number) < writers) {
        violations.add("success without a warning, but not on every node yet");
      }
    }
  }

  /** A node's part of a transaction that is done and committed by one message. */
  private record Part(ModelConnection connection) implements CommutingFragment {
    @Override
    public int nodeId() {
      return connection.nodeId();
    }

    @Override
    public void send(List<IntentId> ids, List<Intent> intents) {
      connection.run(ids, intents.get(0));
    }

    @Override
    public Answer await() {
      return connection.await();
    }
  }

  private static void recover(World world, IntentLedger ledger, UUID router, int rounds) {
    IntentRecovery recovery =
        new IntentRecovery(new ModelIntentNetwork(world), ledger, router, Duration.ZERO);
    for (int round = 0; round < rounds; round++) {
      recovery.runOnce();
      recovery.forget();
    }
  }

  private static long doneNodes(World world, long number) {
    return world.nodeIds().stream()
        .filter(node -> world.node(node).intents.done(number) > 0)
        .count();
  }

  private List<String> check(World world, long number, CommitOutcome outcome) {
    List<String> violations = new ArrayList<>();
    long done = doneNodes(world, number);
    if (done != 0 && done != writers) {
      violations.add("done on " + done + " of " + writers + " nodes");
    }
    if (outcome instanceof CommitOutcome.Committed && done != writers) {
      violations.add("an acknowledged commit is lost");
    }
    boolean rolledBack =
        outcome != null
            && !(outcome instanceof CommitOutcome.Committed)
            && !(outcome instanceof CommitOutcome.Unknown);
    if (rolledBack && done != 0) {
      violations.add("reported as rolled back, but done");
    }
    for (int node : world.nodeIds()) {
      if (world.node(node).intents.done(number) > 1) {
        violations.add("done twice on node " + node);
      }
      if (!world.node(node).intents.rows.isEmpty()) {
        violations.add("an intent is never forgotten");
      }
    }
    return violations;
  }
}
