package org.abelian.router.transaction.independent;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What one router remembers about its independent transactions: those that run, which its own
 * recovery leaves alone, and those that every participant has acknowledged, whose records may go.
 * It only saves work: losing it loses nothing. Safe for several threads.
 */
public final class IndependentLedger {
  private static final int ACKNOWLEDGED_MAX = 100_000;

  private final Set<String> running = ConcurrentHashMap.newKeySet();
  private final Queue<PendingTransaction> acknowledged = new ArrayDeque<>();

  /** A transaction begins. */
  void begin(String id) {
    running.add(id);
  }

  /** Its router is done with it. */
  void end(String id) {
    running.remove(id);
  }

  /** Every participant has it on disk. */
  void acknowledged(String id, Collection<Integer> participants) {
    synchronized (acknowledged) {
      if (acknowledged.size() < ACKNOWLEDGED_MAX) {
        acknowledged.add(new PendingTransaction(id, List.copyOf(participants)));
      }
    }
  }

  boolean isRunning(String id) {
    return running.contains(id);
  }

  /** Takes out at most so many whose records may be deleted. */
  List<PendingTransaction> takeAcknowledged(int limit) {
    List<PendingTransaction> taken = new ArrayList<>();
    synchronized (acknowledged) {
      while (taken.size() < limit && !acknowledged.isEmpty()) {
        taken.add(acknowledged.remove());
      }
    }
    return taken;
  }
}
