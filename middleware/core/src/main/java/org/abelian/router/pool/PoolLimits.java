package org.abelian.router.pool;

/**
 * Bounds of the pools.
 *
 * @param connectionsPerNode how many connections one identity may have to one node
 * @param waitMillis how long a session waits for one
 */
public record PoolLimits(int connectionsPerNode, int waitMillis) {
  /** What a node with PostgreSQL's usual max_connections can bear. */
  public static final PoolLimits DEFAULT = new PoolLimits(90, 10_000);
}
