package org.abelian.router.pool;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** All pools of a router: one for each node and identity. */
public final class NodePools {
  private record Key(NodeAddress address, NodeIdentity identity) {}

  private final PoolLimits limits;
  private final Map<Key, NodePool> pools = new ConcurrentHashMap<>();

  /** No pools yet. */
  public NodePools(PoolLimits limits) {
    this.limits = limits;
  }

  /** The pool for a node and an identity; made when it is asked for first. */
  public NodePool pool(NodeAddress address, NodeIdentity identity) {
    return pools.computeIfAbsent(
        new Key(address, identity), key -> new NodePool(address, identity, limits));
  }

  /** Closes every connection that is free now and the others when they come back. */
  public void close() {
    pools.values().forEach(NodePool::close);
    pools.clear();
  }
}
