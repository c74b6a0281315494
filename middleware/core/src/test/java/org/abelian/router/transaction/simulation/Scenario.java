package org.abelian.router.transaction.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.abelian.router.transaction.CommitLedger;
import org.abelian.router.transaction.CommitOutcome;
import org.abelian.router.transaction.CommitRequest;
import org.abelian.router.transaction.CoordinatedCommit;
import org.abelian.router.transaction.DecisionRetention;
import org.abelian.router.transaction.GidSource;
import org.abelian.router.transaction.Participant;
import org.abelian.router.transaction.Recovery;

/**
 * One transaction that wrote on some nodes and is being committed, while two routers recover and
 * one sweeps; then peace, and a look at what came of it.
 *
 * @param writers so many nodes, the first of them the holder
 * @param reads whether one more node was read
 * @param failedWriter the number of a writer whose transaction has failed before, or 0
 */
record Scenario(int writers, boolean reads, int failedWriter, int faultsMax, Set<Flaw> flaws) {
  static final String COORDINATOR = "coordinator";
  private static final String WORK = "work";
  private static final UUID ROUTER = new UUID(0, 1);

  /** What one run came to. */
  record Result(Optional<String> violation, CommitOutcome outcome, String trace) {}

  Result run(Choices choices) {
    World world = new World(choices, writers + (reads ? 1 : 0), faultsMax, flaws);
    List<CommitOutcome> answers = new ArrayList<>();
    List<String> violations = new ArrayList<>();
    CommitLedger ownLedger = new CommitLedger();
    world.scheduler().spawn(COORDINATOR, () -> commit(world, ownLedger, answers, violations));
    world.scheduler().spawn("own recovery", () -> recover(world, ownLedger));
    world.scheduler().spawn("other recovery", () -> recover(world, new CommitLedger()));
    world.scheduler().spawn("retention", () -> retain(world, ownLedger));
    try {
      world.scheduler().run();
      calmDown(world, choices);
    } catch (IllegalStateException stuck) {
      world.scheduler().abandon();
      throw stuck;
    }
    CommitOutcome outcome = answers.isEmpty() ? null : answers.get(0);
    violations.addAll(check(world, outcome));
    return new Result(violations.stream().findFirst(), outcome, world.scheduler().trace());
  }

  private void commit(
      World world, CommitLedger ledger, List<CommitOutcome> answers, List<String> violations) {
    List<Participant> parts = new ArrayList<>();
    for (int node = 1; node <= writers; node++) {
      Participant part = world.connect(node, WORK, node == failedWriter);
      parts.add(world.has(Flaw.LOST_VOTE_IS_YES) ? new LenientParticipant(part) : part);
    }
    List<Participant> readers = reads ? List.of(world.connect(writers + 1, "", false)) : List.of();
    CoordinatedCommit commit =
        new CoordinatedCommit(
            new ModelControlNetwork(world),
            new GidSource(ROUTER),
            ledger,
            time -> world.pass(() -> true));
    CommitOutcome outcome = commit.commit(new CommitRequest(7, "1:" + WORK, parts, readers));
    answers.add(outcome);
    if (outcome instanceof CommitOutcome.Committed done && done.warnings().isEmpty()) {
      if (committedNodes(world) < writers) {
        violations.add("success without a warning, but not on every node yet");
      }
    }
  }

  private static void recover(World world, CommitLedger ledger) {
    Recovery recovery = new Recovery(new ModelControlNetwork(world), ledger, Duration.ZERO);
    recovery.runOnce();
    recovery.runOnce();
  }

  private static void retain(World world, CommitLedger ledger) {
    DecisionRetention retention =
        new DecisionRetention(new ModelControlNetwork(world), ledger, Duration.ZERO);
    retention.forgetFinished();
    retention.sweep(1);
  }

  /** Faults end, nodes return, routers keep on recovering and sweeping. */
  private void calmDown(World world, Choices choices) {
    world.calm();
    World calm = world;
    calm.scheduler()
        .spawn(
            "last recovery",
            () -> {
              recover(calm, new CommitLedger());
              retain(calm, new CommitLedger());
            });
    calm.scheduler().run();
  }

  private long committedNodes(World world) {
    return world.nodeIds().stream()
        .filter(node -> world.node(node).committed.contains(WORK))
        .count();
  }

  private List<String> check(World world, CommitOutcome outcome) {
    List<String> violations = new ArrayList<>();
    long committed = committedNodes(world);
    if (committed != 0 && committed != writers) {
      violations.add("committed on " + committed + " of " + writers + " nodes");
    }
    if (outcome instanceof CommitOutcome.Committed && committed != writers) {
      violations.add("an acknowledged commit is lost");
    }
    boolean rolledBack =
        outcome instanceof CommitOutcome.RolledBack
            || outcome instanceof CommitOutcome.RolledBackByNode
            || outcome instanceof CommitOutcome.RolledBackSilently;
    if (rolledBack && committed != 0) {
      violations.add("reported as rolled back, but committed");
    }
    for (int node : world.nodeIds()) {
      if (!world.node(node).prepared.isEmpty()) {
        violations.add("still prepared on node " + node);
      }
      if (!world.node(node).decisions.isEmpty()) {
        violations.add("a decision is never forgotten");
      }
    }
    return violations;
  }
}
