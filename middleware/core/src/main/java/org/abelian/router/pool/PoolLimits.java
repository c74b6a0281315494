package org.abelian.router.pool;

/**
 * Bounds of the pools.
 *
 * @param connectionsPerNode how many connections there may be to one node, of all roles together
 * @param waitMillis how long a session waits for one
 * @param idleMillis after so long without use one is closed
 */
public record PoolLimits(int connectionsPerNode, int waitMillis, int idleMillis) {
  /** Five minutes. */
  public static final int DEFAULT_IDLE_MILLIS = 300_000;

  /** What a node with PostgreSQL's usual max_connections can bear. */
  public static final PoolLimits DEFAULT = new PoolLimits(90, 10_000, DEFAULT_IDLE_MILLIS);

  /**
   * So many are kept for the router's own short requests, which come first: sessions wait for them
   * while they hold connections themselves.
   */
  static final int RESERVED = 4;

  /** The fewest connections that let sessions and the router's own requests get on. */
  private static final int LEAST = RESERVED + 1;

  /** Checks the numbers. */
  public PoolLimits {
    if (connectionsPerNode < LEAST || waitMillis < 0 || idleMillis <= 0) {
      throw new IllegalArgumentException(
          "a router needs at least "
              + LEAST
              + " connections to a node, and times that are not"
              + " negative");
    }
  }

  /** With the usual time for idle connections. */
  public PoolLimits(int connectionsPerNode, int waitMillis) {
    this(connectionsPerNode, waitMillis, DEFAULT_IDLE_MILLIS);
  }
}
