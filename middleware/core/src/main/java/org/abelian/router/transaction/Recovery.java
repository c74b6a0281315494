package org.abelian.router.transaction;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finishes transactions that were prepared and whose coordinator died or lost a node. Each router
 * runs it; any number may at once. See docs/protocols/coordinated.md.
 */
public final class Recovery {
  /** How long a live coordinator is left in peace: courtesy, not safety. */
  public static final Duration COURTESY = Duration.ofSeconds(3);

  private static final int TRANSACTIONS_MAX = 200;
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

  private final ControlNetwork network;
  private final CommitLedger ledger;
  private final Duration courtesy;

  /**
   * @param courtesy how old a prepared transaction must be, by its node's clock
   */
  public Recovery(ControlNetwork network, CommitLedger ledger, Duration courtesy) {
    this.network = network;
    this.ledger = ledger;
    this.courtesy = courtesy;
  }

  /**
   * Looks at each node once.
   *
   * @return how many transactions were found and not finished, for want of a node or because they
   *     were busy
   */
  public int runOnce() {
    int left = 0;
    for (int node : network.nodes()) {
      try {
        for (Gid gid : network.prepared(node, courtesy, TRANSACTIONS_MAX)) {
          if (!ledger.isRunning(gid) && !finish(node, gid)) {
            left++;
          }
        }
      } catch (NodeUnreachableException unreachable) {
        LOG.debug("recovery: {}", unreachable.getMessage());
      }
    }
    return left;
  }

  /**
   * The coordinator would have told what the transaction's other nodes had met: that is no more
   * than what all nodes have met by now.
   */
  private void advance(int node) throws NodeUnreachableException {
    LaneClock clock = new LaneClock(0);
    for (int other : network.nodes()) {
      try {
        clock = clock.and(network.laneClock(other));
      } catch (NodeUnreachableException unreachable) {
        LOG.debug("recovery: {}", unreachable.getMessage());
      }
    }
    if (clock.isAheadOf(0)) {
      network.advance(node, clock);
    }
  }

  private boolean finish(int node, Gid gid) {
    try {
      boolean commit = network.settle(gid);
      if (commit) {
        advance(node);
      }
      if (network.finish(node, gid, commit) != Finish.FINISHED) {
        return false; // Another router was faster, or is at it: the next round sees.
      }
      LOG.info(
          "recovery {} transaction {} on {}",
          commit ? "committed" : "rolled back",
          gid,
          network.describe(node));
      return true;
    } catch (NodeUnreachableException unreachable) {
      LOG.debug("recovery of {} waits: {}", gid, unreachable.getMessage());
      return false;
    }
  }
}
