package org.abelian.router.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.abelian.router.error.AbelianException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds deadlocks over several nodes and ends each by cancelling one statement. Every router looks;
 * the one that the victim belongs to acts.
 *
 * <p>The nodes are not asked at one moment, so a circle may be made of waits that never were at the
 * same time. Therefore a second look must show every wait again, between the same transactions. A
 * wait ends only when one of the two transactions does (or rolls back to a savepoint), so a wait
 * that both looks show lasted from one to the other; all of a circle's waits then overlapped
 * between the end of the first look and the beginning of the second.
 */
public final class DeadlockDetector {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

  private static final int ROUNDS = 32;

  /**
   * After so many rounds a victim is cancelled by whoever sees it: its own router may have no
   * detector.
   */
  private static final int ROUNDS_OF_PATIENCE = 5;

  private static final Logger LOG = LoggerFactory.getLogger(DeadlockDetector.class);

  private final WaitSource waits;
  private final VictimHandler sessions;
  private final UUID router;
  private final Pause pause;
  private final Map<WaitingParty, Integer> foreign = new HashMap<>();

  /**
   * @param router whose sessions these are
   */
  public DeadlockDetector(WaitSource waits, VictimHandler sessions, UUID router, Pause pause) {
    this.waits = waits;
    this.sessions = sessions;
    this.router = router;
    this.pause = pause;
  }

  /**
   * Looks until nothing is found, {@value #ROUNDS} times at most: a deadlock that ended often lets
   * its next one be seen. Not to be called by two threads at once.
   *
   * @return how many statements were cancelled
   */
  public int runOnce() {
    int cancelled = 0;
    int last = 1;
    for (int round = 0; round < ROUNDS && last > 0; round++) {
      last = round(round == 0);
      cancelled += last;
    }
    return cancelled;
  }

  private int round(boolean first) {
    List<Deadlock> suspected = WaitGraph.deadlocks(look());
    if (suspected.isEmpty()) {
      foreign.clear();
      return 0;
    }
    pause.pause(BETWEEN_LOOKS);
    List<WaitEdge> again = look();
    Set<String> ended = new HashSet<>();
    for (Deadlock deadlock : suspected) {
      if (deadlock.isConfirmedBy(again)
          && !deadlock.has(ended)) { // Else it has ended with another.
        end(deadlock, first).ifPresent(victim -> ended.add(victim.waiterName()));
      }
    }
    return ended.size();
  }

  private List<WaitEdge> look() {
    List<WaitEdge> edges = new ArrayList<>();
    for (int node : waits.nodes()) {
      try {
        edges.addAll(waits.edges(node));
      } catch (NodeUnreachableException unreachable) {
        LOG.debug("deadlock detection: {}", unreachable.getMessage());
      }
    }
    return edges;
  }

  /** The victim that was cancelled; empty for none. */
  private Optional<WaitEdge> end(Deadlock deadlock, boolean first) {
    WaitEdge victim = deadlock.victim();
    if (isOwn(victim)) {
      WaitEdge chosen = deadlock.victim(this::mayEnd).orElse(victim);
      return cancelOwn(deadlock, chosen) ? Optional.of(chosen) : Optional.empty();
    }
    boolean waited = first && foreign.merge(victim.waiter(), 1, Integer::sum) > ROUNDS_OF_PATIENCE;
    return waited && cancel(victim) ? Optional.of(victim) : Optional.empty();
  }

  private boolean isOwn(WaitEdge edge) {
    return SessionLabel.parse(edge.waiter().session())
        .filter(label -> label.router().equals(router))
        .isPresent();
  }

  private boolean mayEnd(WaitEdge edge) {
    return isOwn(edge) && !sessions.keepsOrder(session(edge));
  }

  private static long session(WaitEdge own) {
    return SessionLabel.parse(own.waiter().session()).orElseThrow().session();
  }

  private boolean cancelOwn(Deadlock deadlock, WaitEdge victim) {
    long session = session(victim);
    AbelianException error = deadlock.error();
    sessions.mark(session, error); // One that is gone is cancelled all the same.
    boolean cancelled = cancel(victim);
    if (!cancelled) {
      sessions.spare(session, error);
    }
    return cancelled;
  }

  private boolean cancel(WaitEdge victim) {
    try {
      boolean cancelled = waits.cancel(victim.node(), victim.waiter());
      if (cancelled) {
        LOG.info("deadlock between nodes: cancelled {}", victim.waiterName());
      }
      return cancelled;
    } catch (NodeUnreachableException unreachable) {
      LOG.debug("deadlock detection: {}", unreachable.getMessage());
      return false;
    }
  }
}
