package org.abelian.router.pool;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.abelian.router.error.AbelianException;

/**
 * The connections to one node under one identity. A session gets the connection that it had last
 * unless another had to take it meanwhile: threads and backends that stay together are what makes
 * the router as fast as a direct connection. How many there may be is for all pools of a node
 * together: {@link NodeSlots}.
 */
public final class NodePool {
  /** A connection that was idle for at least so long is looked at before it is lent. */
  static final long TRUSTED_IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Opens a connection. */
  @FunctionalInterface
  interface Opener {
    /**
     * Opens it.
     *
     * @throws IOException when the node cannot be reached, or refuses
     */
    NodeConnection open(NodeAddress address, NodeIdentity identity) throws IOException;
  }

  private final NodeAddress address;
  private final NodeIdentity identity;
  private final NodeSlots slots;
  private final Opener opener;
  private final LongSupplier clock;
  private final PooledConnections connections;

  /** When a connection was last found lost: what was idle then may be lost as well. */
  private volatile long lossNanos;

  /**
   * @param routers true for the router's own short requests
   * @param clock what {@link System#nanoTime} is, for tests that let time pass
   */
  NodePool(
      NodeAddress address,
      NodeIdentity identity,
      boolean routers,
      NodeSlots slots,
      Opener opener,
      LongSupplier clock) {
    this.address = address;
    this.identity = identity;
    this.slots = slots;
    connections = new PooledConnections(routers);
    this.opener = opener;
    this.clock = clock;
    lossNanos = clock.getAsLong() - TRUSTED_IDLE_NANOS;
  }

  /** The node. */
  public NodeAddress address() {
    return address;
  }

  /**
   * Lends a connection.
   *
   * @param last the one that the session had last; null for none
   * @throws AbelianException 53300 when none became free in time
   * @throws IOException when none could be opened
   */
  public NodeConnection borrow(Object session, NodeConnection last) throws IOException {
    if (last != null && last.lend(session, false) && isUsable(last)) {
      return last;
    }
    // Ends, since each that is not usable leaves the pool.
    for (; ; ) {
      NodeConnection free = slots.take(connections, session);
      if (free == null) {
        return open(session);
      }
      if (isUsable(free)) {
        return free;
      }
    }
  }

  /** Whether a session would get a connection without waiting for others, as far as is known. */
  public boolean wouldLendAtOnce() {
    return slots.wouldServe(connections);
  }

  /** Opens the connection for which there is room. */
  private NodeConnection open(Object session) throws IOException {
    NodeConnection opened = null;
    try {
      opened = opener.open(address, identity);
      opened.lend(session, true);
      return opened;
    } finally {
      slots.opened(connections, opened);
    }
  }

  /**
   * Whether a connection that was just lent can be used. A node that was restarted has left its
   * connections behind, and nobody's statement shall be the one that finds out.
   */
  private boolean isUsable(NodeConnection connection) {
    long used = connection.usedNanos();
    boolean trusted = used - lossNanos > 0 && clock.getAsLong() - used < TRUSTED_IDLE_NANOS;
    if (trusted || connection.isOpenAtNode()) {
      return true;
    }
    drop(connection);
    return false;
  }

  /** Ends a loan. A connection that is lost is dropped. */
  public void giveBack(NodeConnection connection) {
    giveBack(connection, true);
  }

  /** Ends a loan after which the borrower has no claim to the connection. */
  public void giveBackToAnyone(NodeConnection connection) {
    giveBack(connection, false);
  }

  private void giveBack(NodeConnection connection, boolean keepAffinity) {
    if (connection.isLost() || slots.isClosed()) {
      drop(connection);
      return;
    }
    connection.used(clock.getAsLong());
    connection.giveBack(keepAffinity);
    slots.freed();
  }

  /** The session that used it last is gone: anyone may have it. */
  public void release(NodeConnection connection, Object session) {
    if (connection.lend(session, false)) {
      connection.giveBack(false);
    }
    slots.freed();
  }

  /** Closes a connection that the caller has. */
  public void drop(NodeConnection connection) {
    if (connection.isLost()) {
      lossNanos = clock.getAsLong();
    }
    connection.terminate();
    slots.dropped(connections, connection);
    connection.free();
  }

  /** How many connections are open. */
  public int size() {
    return slots.size(connections);
  }

  /** Guarded by the lock of the slots. */
  PooledConnections connections() {
    return connections;
  }
}
