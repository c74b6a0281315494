package org.abelian.router.pool;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/**
 * The connections to one node under one identity. A session gets the connection that it had last
 * unless another had to take it meanwhile: threads and backends that stay together are what makes
 * the router as fast as a direct connection. The number of connections is bounded, and so is the
 * wait for one.
 */
public final class NodePool {
  /** A connection that was idle for at least so long is looked at before it is lent. */
  static final long TRUSTED_IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final NodeAddress address;
  private final NodeIdentity identity;
  private final PoolLimits limits;
  private final LongSupplier clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition returned = lock.newCondition();
  private final List<NodeConnection> connections = new ArrayList<>();
  private int opening;
  private volatile int waiting;
  private volatile boolean closed;

  /** When a connection was last found lost: what was idle then may be lost as well. */
  private volatile long lossNanos;

  NodePool(NodeAddress address, NodeIdentity identity, PoolLimits limits) {
    this(address, identity, limits, System::nanoTime);
  }

  /**
   * @param clock what {@link System#nanoTime} is, for tests that let time pass
   */
  NodePool(NodeAddress address, NodeIdentity identity, PoolLimits limits, LongSupplier clock) {
    this.address = address;
    this.identity = identity;
    this.limits = limits;
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
      NodeConnection free = findOrReserve(session);
      if (free == null) {
        return open(session);
      }
      if (isUsable(free)) {
        return free;
      }
    }
  }

  /** Opens the connection for which {@link #findOrReserve} has made room. */
  private NodeConnection open(Object session) throws IOException {
    NodeConnection opened = null;
    try {
      opened = NodeConnector.open(address, identity);
      opened.lend(session, true);
      return opened;
    } finally {
      lock.lock();
      try {
        opening--;
        if (opened != null) {
          connections.add(opened);
        }
        returned.signal();
      } finally {
        lock.unlock();
      }
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

  /** A free connection, or null when the caller shall open one. */
  private NodeConnection findOrReserve(Object session) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limits.waitMillis());
    lock.lock();
    try {
      for (; ; ) {
        if (closed) {
          throw new NodeLostException(address, new IOException("the pool is closed"));
        }
        connections.removeIf(NodeConnection::isLost);
        boolean full = connections.size() + opening >= limits.connectionsPerNode();
        for (NodeConnection connection : connections) {
          if (connection.lend(session, full)) {
            return connection;
          }
        }
        if (!full) {
          opening++;
          return null;
        }
        await(deadline);
      }
    } finally {
      lock.unlock();
    }
  }

  private void await(long deadline) throws IOException {
    waiting++;
    try {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw new AbelianException(
            SqlState.TOO_MANY_CONNECTIONS,
            "no connection to node "
                + address
                + " became free within "
                + limits.waitMillis()
                + " ms",
            "All "
                + limits.connectionsPerNode()
                + " connections are in use by other sessions. End idle transactions, or raise the"
                + " router's limit and the node's max_connections.");
      }
      returned.awaitNanos(left);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new NodeLostException(
          address, new IOException("interrupted while waiting for a connection"));
    } finally {
      waiting--;
    }
  }

  /** Ends a loan. A connection that is lost is dropped. */
  public void giveBack(NodeConnection connection) {
    connection.used(clock.getAsLong());
    connection.giveBack(true);
    if (connection.isLost() || closed) {
      drop(connection);
    } else if (waiting > 0) {
      signal();
    }
  }

  /** Ends a loan after which the borrower has no claim to the connection. */
  public void giveBackToAnyone(NodeConnection connection) {
    connection.used(clock.getAsLong());
    connection.giveBack(false);
    if (connection.isLost() || closed) {
      drop(connection);
    } else if (waiting > 0) {
      signal();
    }
  }

  /** The session that used it last is gone: anyone may have it. */
  public void release(NodeConnection connection, Object session) {
    if (connection.lend(session, false)) {
      connection.giveBack(false);
    }
    if (waiting > 0) {
      signal();
    }
  }

  /** Closes a connection that the caller has, or that is lost. */
  public void drop(NodeConnection connection) {
    if (connection.isLost()) {
      lossNanos = clock.getAsLong();
    }
    connection.terminate();
    lock.lock();
    try {
      connections.remove(connection);
      returned.signal();
    } finally {
      lock.unlock();
    }
  }

  private void signal() {
    lock.lock();
    try {
      returned.signal();
    } finally {
      lock.unlock();
    }
  }

  /** How many connections are open. */
  public int size() {
    lock.lock();
    try {
      return connections.size() + opening;
    } finally {
      lock.unlock();
    }
  }

  /** Closes what is free now, and the rest when it comes back. */
  void close() {
    closed = true;
    lock.lock();
    try {
      for (NodeConnection connection : connections) {
        if (!connection.isLent()) {
          connection.terminate();
        }
      }
      connections.removeIf(NodeConnection::isLost);
      returned.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
