package org.abelian.router.transaction.independent;

import java.util.Comparator;
import java.util.TreeSet;
import org.abelian.router.transaction.NodeUnreachableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets a restarted node catch up with its peers, and opens its lane. */
public final class CatchUp {
  private static final Logger LOG = LoggerFactory.getLogger(CatchUp.class);

  /** The order of the lanes. */
  private static final Comparator<Fragment> ORDER =
      Comparator.comparingLong(Fragment::at).thenComparing(Fragment::id);

  private final LaneNetwork network;

  /** Over the given network. */
  public CatchUp(LaneNetwork network) {
    this.network = network;
  }

  /**
   * Does all of it. Other routers may do the same at the same time.
   *
   * @throws NodeUnreachableException when the node or a peer cannot be asked: the lane stays closed
   */
  public void run(int node) throws NodeUnreachableException {
    long run = network.beginRun(node);
    LaneProgress progress = network.progress(node);
    TreeSet<Fragment> lacking = new TreeSet<>(ORDER);
    long clock = 0;
    for (int peer : network.nodes()) {
      if (peer != node) {
        lacking.addAll(network.executed(peer, node, run, progress));
        clock = Math.max(clock, network.state(peer).last());
      }
    }
    for (Fragment fragment : lacking) {
      Fragment unhurt = fragment.failed(null); // the peer's own failure says nothing about this one
      String failure = WithoutFailed.run(unhurt, attempt -> network.catchUp(node, run, attempt));
      if (failure != null) {
        LOG.error("{} cannot run {}: {}", network.describe(node), fragment.id(), failure);
      }
    }
    // What the node had met on others before it crashed is in none of its records.
    network.advance(node, clock);
    network.open(node, run);
    if (!lacking.isEmpty()) {
      LOG.info("{} has caught up with {} transactions", network.describe(node), lacking.size());
    }
  }
}
