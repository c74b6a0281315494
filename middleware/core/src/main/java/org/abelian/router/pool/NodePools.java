package org.abelian.router.pool;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** All pools of a router: one for each node and identity, within bounds for each node. */
public final class NodePools implements AutoCloseable {
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** So many pools without a connection are kept at most. */
  private static final int EMPTY_MAX = 100;

  private record Key(NodeAddress address, NodeIdentity identity, boolean routers) {}

  private final PoolLimits limits;
  private final NodePool.Opener opener;
  private final LongSupplier clock;
  private final Map<NodeAddress, NodeSlots> nodes = new ConcurrentHashMap<>();
  private final Map<Key, NodePool> pools = new ConcurrentHashMap<>();
  private final WaitWatch watch;

  /** No pools yet. */
  public NodePools(PoolLimits limits, IoContext io) {
    this(
        limits,
        io.watch(),
        (address, identity) -> NodeConnector.open(address, identity, io),
        System::nanoTime);
  }

  /**
   * @param clock what {@link System#nanoTime} is, for tests that let time pass
   */
  NodePools(PoolLimits limits, WaitWatch watch, NodePool.Opener opener, LongSupplier clock) {
    this.limits = limits;
    this.opener = opener;
    this.clock = clock;
    this.watch = watch;
    watch.every(LOOK_NANOS, this::closeIdle);
  }

  /** The pool of sessions for a node and an identity; made when it is asked for first. */
  public NodePool pool(NodeAddress address, NodeIdentity identity) {
    return pool(new Key(address, identity, false));
  }

  /** The pool of the router's own short requests, for which some connections are kept free. */
  public NodePool routersPool(NodeAddress address, NodeIdentity identity) {
    return pool(new Key(address, identity, true));
  }

  private NodePool pool(Key key) {
    NodePool known = pools.get(key);
    if (known != null) {
      return known;
    }
    if (pools.size() > EMPTY_MAX) {
      forgetEmpty();
    }
    return pools.computeIfAbsent(key, this::open);
  }

  private NodePool open(Key key) {
    NodeSlots slots =
        nodes.computeIfAbsent(key.address(), address -> new NodeSlots(address, limits));
    return new NodePool(key.address(), key.identity(), key.routers(), slots, opener, clock);
  }

  /** Whoever still uses one goes on with it: connections are bounded by node, not by pool. */
  private void forgetEmpty() {
    pools.values().removeIf(pool -> pool.size() == 0);
  }

  /** Closes connections that nobody has used for long. */
  void closeIdle() {
    long now = clock.getAsLong();
    nodes.values().forEach(node -> node.closeIdle(now));
    forgetEmpty();
  }

  /** How many connections there are to a node, or are being opened. */
  public int size(NodeAddress address) {
    NodeSlots slots = nodes.get(address);
    return slots == null ? 0 : slots.size();
  }

  /** What the connections to each node do, in the order of their addresses. */
  public List<NodeUse> uses() {
    return nodes.values().stream()
        .map(NodeSlots::use)
        .sorted(Comparator.comparing(use -> use.address().toString()))
        .toList();
  }

  /** Closes every connection that is free now and the others when they come back. */
  @Override
  public void close() {
    nodes.values().forEach(NodeSlots::close);
    pools.clear();
    watch.close();
  }
}
