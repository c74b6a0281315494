package org.abelian.router.transaction.independent;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.abelian.router.transaction.NodeUnreachableException;

/** Decides about a transaction whose router gave it up or died: freeze, then complete or cancel. */
public final class Settlement {
  private final LaneNetwork network;

  /** Over the given network. */
  public Settlement(LaneNetwork network) {
    this.network = network;
  }

  /**
   * Settles; others may do so at the same time.
   *
   * @throws NodeUnreachableException when a node that must be asked cannot be, or has to catch up
   *     first: what is frozen stays frozen
   */
  public Settled settle(String id, Collection<Integer> participants)
      throws NodeUnreachableException {
    Fragment evidence = null;
    Map<Integer, String> failures = new TreeMap<>();
    for (int node : participants) {
      Optional<Fragment> found = network.freeze(node, id);
      if (found.isPresent()) {
        evidence = found.get();
        if (evidence.failure() != null) {
          failures.put(node, evidence.failure());
        }
      }
    }
    if (evidence != null) {
      complete(participants, evidence.failed(null), failures);
      return new Settled.Executed(failures);
    }
    for (int node : participants) {
      network.cancel(node, id);
    }
    return new Settled.Cancelled();
  }

  private void complete(
      Collection<Integer> participants, Fragment fragment, Map<Integer, String> failures)
      throws NodeUnreachableException {
    for (int node : participants) {
      Optional<String> failure = network.complete(node, fragment);
      if (failure.isPresent()) {
        network.complete(node, fragment.failed(failure.get()));
        failures.put(node, failure.get());
      }
      if (!network.progress(node).hasReached(fragment)) {
        throw new NodeUnreachableException(node, "its lane has to catch up first", null);
      }
    }
  }
}
