package org.abelian.router.transaction;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What one router remembers about its coordinated commits: those that run, which its own recovery
 * leaves alone, and those that are finished everywhere, whose decisions may go. It only saves work:
 * losing it loses nothing. Safe for several threads.
 */
public final class CommitLedger {
  private static final int FINISHED_MAX = 100_000;

  private final Set<Gid> running = ConcurrentHashMap.newKeySet();
  private final Queue<Gid> finished = new ArrayDeque<>();

  /** A commit begins. */
  public void begin(Gid gid) {
    running.add(gid);
  }

  /**
   * The commit is answered.
   *
   * @param everywhere true when it is committed and no node has it prepared any more
   */
  public void end(Gid gid, boolean everywhere) {
    running.remove(gid);
    if (everywhere) {
      synchronized (finished) {
        if (finished.size() < FINISHED_MAX) {
          finished.add(gid);
        }
      }
    }
  }

  /** True while one of this router's sessions is committing it. */
  public boolean isRunning(Gid gid) {
    return running.contains(gid);
  }

  /** Takes out at most so many transactions whose decisions may be deleted. */
  public List<Gid> takeFinished(int limit) {
    List<Gid> taken = new ArrayList<>();
    synchronized (finished) {
      while (taken.size() < limit && !finished.isEmpty()) {
        taken.add(finished.remove());
      }
    }
    return taken;
  }
}
