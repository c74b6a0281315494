package org.abelian.router.transaction.independent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.router.transaction.NodeUnreachableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a router does for lanes beside its sessions: lets restarted nodes catch up, settles what
 * dead routers left, deletes records that nobody needs. Any number of routers may at once.
 */
public final class LaneRecovery {
  /** How old a record must be before the sweep looks at it. */
  public static final Duration SWEEP_AGE = Duration.ofDays(1);

  /** How long a fragment waits for the row lock of a transaction that does not end. */
  private static final Duration LOCK_PATIENCE = Duration.ofSeconds(10);

  private static final int BATCH = 1_000;
  private static final int BATCHES_MAX = 100;
  private static final Logger LOG = LoggerFactory.getLogger(LaneRecovery.class);

  private final LaneNetwork network;
  private final IndependentLedger ledger;
  private final Duration courtesy;
  private final Settlement settlement;
  private final CatchUp catchUp;

  /**
   * @param courtesy how long a transaction must have been pending, by its node's clock
   */
  public LaneRecovery(LaneNetwork network, IndependentLedger ledger, Duration courtesy) {
    this.network = network;
    this.ledger = ledger;
    this.courtesy = courtesy;
    this.settlement = new Settlement(network);
    this.catchUp = new CatchUp(network);
  }

  /** Looks at each node once: closed lanes that have been used, and what is pending for long. */
  public void runOnce() {
    for (int node : network.nodes()) {
      try {
        LaneState state = network.state(node);
        if (!state.open() && network.progress(node).run() > 0) {
          catchUp.run(node);
        }
        List<PendingTransaction> left = network.pending(node, courtesy);
        if (!left.isEmpty() && network.unblock(node, LOCK_PATIENCE) > 0) {
          LOG.warn("ended sessions on {} that held up its lane", network.describe(node));
        }
        for (PendingTransaction pending : left) {
          if (!ledger.isRunning(pending.id())) {
            settle(pending);
          }
        }
      } catch (NodeUnreachableException unreachable) {
        LOG.debug("recovery of lanes waits: {}", unreachable.getMessage());
      }
    }
  }

  private void settle(PendingTransaction pending) {
    try {
      Settled settled = settlement.settle(pending.id(), pending.participants());
      LOG.info("recovery settled independent transaction {}: {}", pending.id(), settled);
    } catch (NodeUnreachableException unreachable) {
      LOG.debug("settling {} waits: {}", pending.id(), unreachable.getMessage());
    }
  }

  /** Deletes records of what this router's own sessions know to be on disk everywhere. */
  public void forgetAcknowledged() {
    for (int batch = 0; batch < BATCHES_MAX; batch++) {
      List<PendingTransaction> acknowledged = ledger.takeAcknowledged(BATCH);
      if (acknowledged.isEmpty()) {
        return;
      }
      Map<Integer, List<String>> byNode = new HashMap<>();
      for (PendingTransaction transaction : acknowledged) {
        for (int node : transaction.participants()) {
          byNode.computeIfAbsent(node, any -> new ArrayList<>()).add(transaction.id());
        }
      }
      byNode.forEach(this::forget);
    }
  }

  private void forget(int node, List<String> ids) {
    try {
      network.forget(node, ids);
    } catch (NodeUnreachableException unreachable) {
      LOG.debug("records are left to the sweep: {}", unreachable.getMessage());
    }
  }

  /** Deletes what dead routers left. Does nothing unless every node can be asked. */
  public void sweep() {
    try {
      List<Integer> nodes = network.nodes();
      List<LaneProgress> lanes = new ArrayList<>();
      for (int node : nodes) {
        lanes.add(network.progress(node));
      }
      if (lanes.stream().allMatch(lane -> lane.run() == 0)) {
        return;
      }
      for (int node : nodes) {
        network.sweep(node, SWEEP_AGE, nodes, lanes);
      }
    } catch (NodeUnreachableException unreachable) {
      LOG.debug("the sweep of records waits: {}", unreachable.getMessage());
    }
  }
}
