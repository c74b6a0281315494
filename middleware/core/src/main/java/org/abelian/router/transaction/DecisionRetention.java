package org.abelian.router.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes decisions that nobody can need any more, so that their table stays small. The conditions,
 * and why they suffice, are in docs/protocols/coordinated.md.
 */
public final class DecisionRetention {
  /**
   * How old a decision must be before the sweep looks at it: those of live routers are gone long
   * before, and a client may ask about a lost commit until then.
   */
  public static final Duration SWEEP_AGE = Duration.ofDays(1);

  private static final int BATCH = 1_000;
  private static final int BATCHES_MAX = 100;
  private static final Logger LOG = LoggerFactory.getLogger(DecisionRetention.class);

  private final ControlNetwork network;
  private final CommitLedger ledger;
  private final Duration sweepAge;

  /**
   * @param sweepAge by the node's clock
   */
  public DecisionRetention(ControlNetwork network, CommitLedger ledger, Duration sweepAge) {
    this.network = network;
    this.ledger = ledger;
    this.sweepAge = sweepAge;
  }

  /** Deletes the decisions of this router's own commits that are finished everywhere. */
  public void forgetFinished() {
    for (int batch = 0; batch < BATCHES_MAX; batch++) {
      List<Gid> finished = ledger.takeFinished(BATCH);
      if (finished.isEmpty()) {
        return;
      }
      Map<Integer, List<Gid>> byHolder =
          finished.stream().collect(Collectors.groupingBy(Gid::holder));
      for (Map.Entry<Integer, List<Gid>> entry : byHolder.entrySet()) {
        try {
          network.forget(entry.getKey(), entry.getValue());
        } catch (NodeUnreachableException unreachable) {
          LOG.debug("decisions are left to the sweep: {}", unreachable.getMessage());
        }
      }
    }
  }

  /**
   * Deletes what dead routers left behind on a holder. Does nothing unless every node can be asked.
   */
  public void sweep(int holder) {
    try {
      network.forgetAborted(holder, sweepAge);
      List<Gid> unneeded = new ArrayList<>(network.commitDecisions(holder, sweepAge, BATCH));
      for (int node : network.nodes()) {
        if (!unneeded.isEmpty()) {
          unneeded.removeAll(network.stillPrepared(node, unneeded));
        }
      }
      if (!unneeded.isEmpty()) {
        network.forget(holder, unneeded);
      }
    } catch (NodeUnreachableException unreachable) {
      LOG.debug("the sweep of decisions waits: {}", unreachable.getMessage());
    }
  }
}
