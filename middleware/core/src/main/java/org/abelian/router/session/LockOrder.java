package org.abelian.router.session;

/**
 * Whether the sessions of a router keep the order in which a group of messages locks rows, from
 * node to node. Statements for several nodes are sent without waiting for each other. So a group
 * may have its second statement's row while it waits for the first one's, on another node, and two
 * groups that name the same rows in the same order may meet in a deadlock, which one PostgreSQL
 * would never see. When that has happened, such statements wait for each other for a while. Safe
 * for several threads.
 */
public final class LockOrder {
  private static final long NANOS = 60_000_000_000L;

  private volatile boolean known;
  private volatile long until;

  /** Groups met in a deadlock: their order is kept from now on. */
  public void keep() {
    until = System.nanoTime() + NANOS;
    known = true;
  }

  /** True while the order is kept. */
  public boolean isKept() {
    return known && until - System.nanoTime() > 0;
  }
}
