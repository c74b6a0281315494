package org.abelian.router.transaction;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/**
 * Transactions that wait for each other in a circle.
 *
 * @param cycle each edge's blocker is the next one's waiter
 */
record Deadlock(List<WaitEdge> cycle) {
  /**
   * The youngest transaction that a router can tell why; the wait in which it is to be cancelled.
   */
  WaitEdge victim() {
    return victim(edge -> SessionLabel.parse(edge.waiter().session()).isPresent())
        .orElse(cycle.get(0));
  }

  /** The youngest of those that may be; empty when none may. */
  Optional<WaitEdge> victim(Predicate<WaitEdge> eligible) {
    return cycle.stream()
        .filter(eligible)
        .max(
            Comparator.comparingLong((WaitEdge edge) -> edge.waiter().transactionStart())
                .thenComparing(WaitEdge::waiterName));
  }

  /** True when one of these is part of it. */
  boolean has(Set<String> names) {
    return cycle.stream().anyMatch(edge -> names.contains(edge.waiterName()));
  }

  /** True when every wait of the circle is among those of a later look. */
  boolean isConfirmedBy(List<WaitEdge> later) {
    return cycle.stream().allMatch(edge -> later.stream().anyMatch(edge::isSameWait));
  }

  /** 40P01, with every statement of the circle named. */
  AbelianException error() {
    String detail =
        cycle.stream()
            .map(
                edge ->
                    edge.waiterName()
                        + " waits on node "
                        + edge.node()
                        + " for "
                        + edge.blockerName()
                        + ": "
                        + edge.waiter().query())
            .collect(Collectors.joining("\n"));
    return new AbelianException(
        SqlState.DEADLOCK_DETECTED,
        "deadlock detected between nodes",
        detail,
        "Try the transaction again; taking rows in the same order everywhere avoids it.",
        null);
  }
}
