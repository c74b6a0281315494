package org.abelian.router.transaction;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes commuting transactions that their sessions, or dead routers, left behind, and lets the
 * nodes forget what is over. Each router runs it; any number may at once. See
 * docs/protocols/commuting-messages.md.
 */
public final class IntentRecovery {
  private static final int TRANSACTIONS_MAX = 200;

  /** So many rows a node deletes at once, at most. */
  private static final int FORGOTTEN_MAX = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(IntentRecovery.class);

  private final IntentNetwork network;
  private final IntentLedger ledger;
  private final IntentCompletion completion;
  private final UUID router;
  private final Duration courtesy;

  /** By node, the number below which it has been told that this router's transactions are over. */
  private final Map<Integer, Long> forgottenBelow = new HashMap<>();

  /**
   * @param courtesy how old another router's intent must be, by its node's clock
   */
  public IntentRecovery(
      IntentNetwork network, IntentLedger ledger, UUID router, Duration courtesy) {
    this.network = network;
    this.ledger = ledger;
    this.completion = new IntentCompletion(network);
    this.router = router;
    this.courtesy = courtesy;
  }

  /**
   * Looks at what this router's sessions have left, and at what other routers have on each node.
   */
  public void runOnce() {
    ledger.left(TRANSACTIONS_MAX).forEach(this::finish);
    Set<UUID> others = new TreeSet<>();
    for (int node : network.nodes()) {
      try {
        others.addAll(network.routers(node, router, courtesy));
      } catch (NodeUnreachableException unreachable) {
        LOG.debug("recovery: {}", unreachable.getMessage());
      }
    }
    others.forEach(this::retire);
  }

  private void finish(IntentLedger.Open open) {
    IntentId id = IntentId.of(open.gid());
    IntentCompletion.Standing standing = completion.settle(id, open.intent().nodes());
    boolean committed = standing.committed().isPresent();
    boolean over =
        committed
            ? complete(id, open.intent().nodes(), standing.committed().get())
            : standing.barred() || standing.over();
    if (!over) {
      return;
    }
    try {
      if (open.asked() && !standing.over()) {
        network.record(open.gid(), committed);
      }
      ledger.over(open.gid());
      LOG.info("recovery {} transaction {}", committed ? "completed" : "ended", open.gid());
    } catch (NodeUnreachableException unreachable) {
      LOG.debug("the outcome of {} is not recorded yet", open.gid());
    }
  }

  /**
   * Completes what another router, which is likely dead, has on the nodes. When nothing is missing,
   * closes the nodes to its sessions, looks again, and lets the nodes forget it all.
   */
  private void retire(UUID other) {
    try {
      long below = completeAll(other);
      if (below == 0) {
        return;
      }
      for (int node : network.nodes()) {
        network.close(node, other, below);
      }
      if (completeAll(other) >= below) {
        for (int node : network.nodes()) {
          network.forget(node, other, below);
        }
      }
    } catch (NodeUnreachableException unreachable) {
      LOG.debug("intents of router {} stay for now: {}", other, unreachable.getMessage());
    }
  }

  /**
   * Brings a router's transactions to their end.
   *
   * @return those below that number are over; 0 when some may not be
   */
  private long completeAll(UUID other) throws NodeUnreachableException {
    long below = 0;
    long seen = Long.MAX_VALUE;
    boolean complete = true;
    for (int node : network.nodes()) {
      List<StoredIntent> intents = network.intents(node, other, TRANSACTIONS_MAX);
      for (StoredIntent stored : intents) {
        complete &= isOver(node, stored);
        below = Math.max(below, stored.id().number() + 1);
      }
      if (intents.size() == TRANSACTIONS_MAX) {
        seen = Math.min(seen, intents.get(TRANSACTIONS_MAX - 1).id().number() + 1);
      }
    }
    return complete ? Math.min(below, seen) : 0;
  }

  private boolean isOver(int node, StoredIntent stored) {
    if (stored.committed()) {
      return completion.apply(stored, node).isNothing();
    }
    List<Integer> nodes = stored.intent().nodes();
    IntentCompletion.Standing standing = completion.settle(stored.id(), nodes);
    return standing.committed().isPresent()
        ? complete(stored.id(), nodes, standing.committed().get())
        : standing.barred() || standing.over();
  }

  private boolean complete(IntentId id, List<Integer> nodes, int source) {
    return completion.complete(id, nodes, source).isNothing();
  }

  /**
   * Tells the nodes which of this router's transactions are over. Each takes steps of its own, so
   * that however many there are, it has the time to delete the rows of a step.
   */
  public void forget() {
    long below = ledger.below();
    List<Integer> nodes = network.nodes();
    forgottenBelow.keySet().retainAll(nodes);
    long least = forgottenBelow.values().stream().min(Long::compare).orElse(1L);
    for (int node : nodes) {
      long step = forgottenBelow.computeIfAbsent(node, added -> least);
      try {
        while (step < below) {
          step = Math.min(step + FORGOTTEN_MAX, below);
          network.forget(node, router, step);
          forgottenBelow.put(node, step);
        }
      } catch (NodeUnreachableException unreachable) {
        LOG.debug("intents stay for now: {}", unreachable.getMessage());
      }
    }
  }
}
