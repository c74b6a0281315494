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
    Map<Integer, CallFailures> failures = new TreeMap<>();
    for (int node : participants) {
      Optional<Fragment> found = network.freeze(node, id);
      if (found.isPresent()) {
        evidence = found.get();
        if (evidence.failure() != null) {
          failures.put(node, CallFailures.of(evidence.failure()));
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
      Collection<Integer> participants, Fragment fragment, Map<Integer, CallFailures> failures)
      throws NodeUnreachableException {
    for (int node : participants) {
      String failure = WithoutFailed.run(fragment, attempt -> network.complete(node, attempt));
      if (!network.progress(node).hasReached(fragment)) {
        throw new NodeUnreachableException(node, "its lane has to catch up first", null);
      }
      if (failure == null && !failures.containsKey(node)) {
        // Another router may have completed it there meanwhile, and have met the failure.
        failure = network.freeze(node, fragment.id()).map(Fragment::failure).orElse(null);
      }
      if (failure != null) {
        failures.put(node, CallFailures.of(failure));
      }
    }
  }
}
