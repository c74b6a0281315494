package org.abelian.router.transaction;

import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The commuting transactions of one router that are not known to be over on every node. Their
 * numbers bound what the nodes may forget. Losing the ledger loses nothing: it only makes other
 * routers do the work. Safe for several threads.
 */
public final class IntentLedger {
  /**
   * A transaction of this router.
   *
   * @param asked whether the client was told that its outcome is unknown
   */
  record Open(Gid gid, Intent intent, boolean asked) {}

  private final GidSource gids;
  private final TreeMap<Long, Open> open = new TreeMap<>();
  private final TreeMap<Long, Open> left = new TreeMap<>();
  private long next = 1;

  /** The number of the last that recovery was given. */
  private long lastGiven;

  /**
   * @param gids numbers all commits of the router
   */
  public IntentLedger(GidSource gids) {
    this.gids = gids;
  }

  /** A commit begins. */
  synchronized Gid begin(long session, Intent intent) {
    Gid gid = gids.next(intent.nodes().get(0), session, List.of());
    open.put(gid.number(), new Open(gid, intent, false));
    next = gid.number() + 1;
    return gid;
  }

  /** The transaction is committed on every participant, or on none and never will be. */
  synchronized void over(Gid gid) {
    open.remove(gid.number());
    left.remove(gid.number());
  }

  /**
   * The session leaves the transaction to recovery.
   *
   * @param asked whether the client may ask for its outcome
   */
  synchronized void leave(Gid gid, boolean asked) {
    Open entry = open.get(gid.number());
    left.put(gid.number(), new Open(gid, entry.intent(), asked));
  }

  /** True while the transaction is not known to be over. */
  public synchronized boolean isOpen(Gid gid) {
    Open entry = open.get(gid.number());
    return entry != null && entry.gid().equals(gid);
  }

  /**
   * What sessions have left to recovery, at most so many; in turns, so that those that something
   * holds up for long keep no others from being given.
   */
  synchronized List<Open> left(int limit) {
    List<Open> taken =
        Stream.concat(
                left.tailMap(lastGiven, false).values().stream(),
                left.headMap(lastGiven, true).values().stream())
            .limit(limit)
            .toList();
    if (!taken.isEmpty()) {
      lastGiven = taken.get(taken.size() - 1).gid().number();
    }
    return taken;
  }

  /** This router's transactions with smaller numbers are over. */
  public synchronized long below() {
    return open.isEmpty() ? next : open.firstKey();
  }
}
