package org.abelian.router.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings a commuting transaction to the same end on all of its nodes. Safe for several threads. */
final class IntentCompletion {
  private static final Logger LOG = LoggerFactory.getLogger(IntentCompletion.class);

  /**
   * What is known of a transaction after its nodes were asked.
   *
   * @param committed a node on which it has committed; then it is committed
   * @param barred true when every node has barred it, so that it never commits
   * @param over true when it has ended in a way that nobody knows any more
   */
  record Standing(Optional<Integer> committed, boolean barred, boolean over) {}

  /**
   * What is not done of a transaction that has committed.
   *
   * @param nodes the nodes that may still lack their part
   * @param locked whether others' locks are the only reason
   */
  record Remainder(List<Integer> nodes, boolean locked) {
    private static final Remainder NOTHING = new Remainder(List.of(), false);

    boolean isNothing() {
      return nodes.isEmpty();
    }
  }

  private final IntentNetwork network;

  IntentCompletion(IntentNetwork network) {
    this.network = network;
  }

  /** Does what is missing from the intent that a node has. */
  Remainder complete(IntentId id, List<Integer> nodes, int source) {
    Optional<StoredIntent> stored;
    try {
      stored = network.read(source, id);
    } catch (NodeUnreachableException unreachable) {
      return new Remainder(others(nodes, source), false);
    }
    return stored.isPresent() && stored.get().committed()
        ? apply(stored.get(), source)
        : Remainder.NOTHING; // Forgotten: it is over everywhere.
  }

  /** Does it on all nodes but the one that it was read from. */
  Remainder apply(StoredIntent stored, int source) {
    List<Integer> missing = new ArrayList<>();
    boolean locked = true;
    for (int node : others(stored.intent().nodes(), source)) {
      try {
        if (!network.apply(node, stored)) {
          missing.add(node);
        }
      } catch (NodeUnreachableException unreachable) {
        LOG.debug("completion of {} waits: {}", stored.id(), unreachable.getMessage());
        missing.add(node);
        locked = false;
      }
    }
    return new Remainder(missing, locked);
  }

  /** The transaction's nodes but that one. */
  static List<Integer> others(List<Integer> nodes, int source) {
    return nodes.stream().filter(node -> node != source).toList();
  }

  /** Bars the transaction on every node, unless one has committed it. */
  Standing settle(IntentId id, List<Integer> nodes) {
    boolean barred = true;
    boolean over = false;
    for (int node : nodes) {
      try {
        switch (network.bar(node, id, nodes)) {
          case COMMITTED -> {
            return new Standing(Optional.of(node), false, false);
          }
          case OVER -> over = true;
          case BARRED -> {
            // As wished.
          }
        }
      } catch (NodeUnreachableException unreachable) {
        barred = false;
      }
    }
    return new Standing(Optional.empty(), barred && !over, over);
  }
}
