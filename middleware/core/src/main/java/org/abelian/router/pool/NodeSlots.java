package org.abelian.router.pool;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/**
 * The connections that a router may have to one node, over all its pools there, and those who wait
 * for one. Whoever waits is counted before the connections are looked at, and whoever gives one
 * back looks at that count afterwards: so one of the two sees the other, and no wait outlasts its
 * reason. Turns are in the order of coming; a free connection of another role is closed to make
 * room.
 */
final class NodeSlots {
  private final NodeAddress address;
  private final PoolLimits limits;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
  private final ArrayDeque<Waiter> urgent = new ArrayDeque<>();
  private final Set<PooledConnections> pools = new LinkedHashSet<>();
  private volatile int waiting;
  private int usedBySessions;
  private int usedByRouter;
  private volatile boolean closed;

  NodeSlots(NodeAddress address, PoolLimits limits) {
    this.address = address;
    this.limits = limits;
  }

  /** Somebody who wants a connection, and what he gets. */
  final class Waiter {
    final PooledConnections pool;
    final Object session;
    final Condition served = lock.newCondition();
    boolean done;

    /** Null when he is to open one. */
    NodeConnection connection;

    Waiter(PooledConnections pool, Object session) {
      this.pool = pool;
      this.session = session;
    }
  }

  /**
   * A connection of that pool, lent to the session.
   *
   * @return null when the caller shall open one, and say afterwards what came of it
   * @throws AbelianException 53300 when none became free in time
   */
  NodeConnection take(PooledConnections pool, Object session) throws IOException {
    lock.lock();
    try {
      Waiter waiter = enter(pool, session);
      try {
        await(waiter);
      } finally {
        leave(waiter);
      }
      return waiter.connection;
    } finally {
      lock.unlock();
    }
  }

  /** Whether a session would get a connection of that pool without waiting, as far as is known. */
  boolean wouldServe(PooledConnections pool) {
    lock.lock();
    try {
      return waiting == 0 && (hasRoom(pool) || pool.lent() < pool.count());
    } finally {
      lock.unlock();
    }
  }

  /** Begins to wait: first it counts, then it is looked whether there is something for it. */
  Waiter enter(PooledConnections pool, Object session) {
    lock.lock();
    try {
      Waiter waiter = new Waiter(pool, session);
      queue(pool).addLast(waiter);
      waiting = urgent.size() + waiters.size();
      serve();
      return waiter;
    } finally {
      lock.unlock();
    }
  }

  /** Ends a wait. */
  void leave(Waiter waiter) {
    lock.lock();
    try {
      queue(waiter.pool).remove(waiter);
      waiting = urgent.size() + waiters.size();
    } finally {
      lock.unlock();
    }
  }

  private ArrayDeque<Waiter> queue(PooledConnections pool) {
    return pool.isRouters() ? urgent : waiters;
  }

  private void await(Waiter waiter) throws IOException {
    long left = TimeUnit.MILLISECONDS.toNanos(limits.waitMillis());
    try {
      while (!waiter.done) {
        if (closed) {
          throw new NodeLostException(address, new IOException("the pool is closed"));
        }
        if (left <= 0) {
          throw tooMany();
        }
        left = waiter.served.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      if (!waiter.done) {
        throw new NodeLostException(
            address, new IOException("interrupted while waiting for a connection"));
      }
    }
  }

  private AbelianException tooMany() {
    return new AbelianException(
        SqlState.TOO_MANY_CONNECTIONS,
        "no connection to node " + address + " became free within " + limits.waitMillis() + " ms",
        "All "
            + limits.connectionsPerNode()
            + " connections are in use by other sessions. End idle transactions, or raise the"
            + " router's limit and the node's max_connections.");
  }

  /** Something became free: whose turn it is gets it. */
  void freed() {
    if (waiting > 0) {
      lock.lock();
      try {
        serve();
      } finally {
        lock.unlock();
      }
    }
  }

  private void serve() {
    if (serve(urgent)) {
      serve(waiters);
    }
  }

  /** True when nobody of the queue has to wait on. */
  private boolean serve(ArrayDeque<Waiter> queue) {
    for (Waiter waiter : queue) {
      if (waiter.done) {
        continue;
      }
      if (closed || !satisfy(waiter)) {
        return false;
      }
      waiter.done = true;
      waiter.served.signal();
    }
    return true;
  }

  private boolean satisfy(Waiter waiter) {
    forgetLost();
    PooledConnections pool = waiter.pool;
    waiter.connection = pool.lendOwn(waiter.session);
    if (waiter.connection != null || reserve(pool)) {
      return true;
    }
    waiter.connection = pool.lendLongestIdle(waiter.session);
    return waiter.connection != null || closeOneOfOthers(pool) && reserve(pool);
  }

  /** Makes room for another connection of that pool, if there may be one. */
  private boolean reserve(PooledConnections pool) {
    boolean room = hasRoom(pool);
    if (room) {
      count(pool, 1);
    }
    return room;
  }

  private boolean hasRoom(PooledConnections pool) {
    return usedBySessions + usedByRouter < limits.connectionsPerNode()
        && (pool.isRouters() || !sessionsHaveAll());
  }

  private boolean sessionsHaveAll() {
    return usedBySessions >= limits.connectionsPerNode() - PoolLimits.RESERVED;
  }

  private void count(PooledConnections pool, int more) {
    if (pool.isRouters()) {
      usedByRouter += more;
    } else {
      usedBySessions += more;
    }
  }

  /** Closes the connection that nobody has used for longest, if that makes room for this pool. */
  private boolean closeOneOfOthers(PooledConnections than) {
    PooledConnections found = null;
    NodeConnection oldest = null;
    for (PooledConnections pool : pools) {
      boolean helps = than.isRouters() || !pool.isRouters() || !sessionsHaveAll();
      NodeConnection idle = pool == than || !helps ? null : pool.longestIdle();
      if (idle != null && (oldest == null || idle.usedNanos() - oldest.usedNanos() < 0)) {
        found = pool;
        oldest = idle;
      }
    }
    if (oldest == null || !found.closeFree(oldest)) {
      return false;
    }
    removed(found);
    return true;
  }

  /** A connection has left its pool. */
  private void removed(PooledConnections pool) {
    count(pool, -1);
    if (pool.isEmpty()) {
      pools.remove(pool);
    }
  }

  private void forgetLost() {
    for (PooledConnections pool : List.copyOf(pools)) {
      for (int lost = pool.forgetLost(); lost > 0; lost--) {
        removed(pool);
      }
    }
  }

  /**
   * What a caller for whom there was no connection has opened.
   *
   * @param connection null when it could not be opened
   */
  void opened(PooledConnections pool, NodeConnection connection) {
    lock.lock();
    try {
      if (connection == null) {
        count(pool, -1);
      } else {
        pools.add(pool);
        pool.add(connection);
      }
      serve();
    } finally {
      lock.unlock();
    }
  }

  /** A connection was closed by whoever had it. */
  void dropped(PooledConnections pool, NodeConnection connection) {
    lock.lock();
    try {
      if (pool.remove(connection)) {
        removed(pool);
      }
      serve();
    } finally {
      lock.unlock();
    }
  }

  /** Closes what was not used for long. */
  void closeIdle(long nowNanos) {
    long oldest = nowNanos - TimeUnit.MILLISECONDS.toNanos(limits.idleMillis());
    lock.lock();
    try {
      forgetLost();
      for (PooledConnections pool : List.copyOf(pools)) {
        NodeConnection idle = pool.longestIdle();
        while (idle != null && idle.usedNanos() - oldest <= 0 && pool.closeFree(idle)) {
          removed(pool);
          idle = pool.longestIdle();
        }
      }
      serve();
    } finally {
      lock.unlock();
    }
  }

  /** How many connections there are, or are being opened. */
  int size() {
    lock.lock();
    try {
      return usedBySessions + usedByRouter;
    } finally {
      lock.unlock();
    }
  }

  /** What the connections do now. */
  NodeUse use() {
    lock.lock();
    try {
      int lent = pools.stream().mapToInt(PooledConnections::lent).sum();
      return new NodeUse(address, usedBySessions + usedByRouter, lent, waiting);
    } finally {
      lock.unlock();
    }
  }

  /** How many connections of that pool there are. */
  int size(PooledConnections pool) {
    lock.lock();
    try {
      return pool.count();
    } finally {
      lock.unlock();
    }
  }

  /** True when no connection is kept any more. */
  boolean isClosed() {
    return closed;
  }

  /** Closes what is free now, and the rest when it comes back. */
  void close() {
    lock.lock();
    try {
      closed = true;
      for (PooledConnections pool : new ArrayList<>(pools)) {
        for (NodeConnection idle = pool.longestIdle();
            idle != null && pool.closeFree(idle);
            idle = pool.longestIdle()) {
          removed(pool);
        }
      }
      urgent.forEach(waiter -> waiter.served.signal());
      waiters.forEach(waiter -> waiter.served.signal());
    } finally {
      lock.unlock();
    }
  }
}
