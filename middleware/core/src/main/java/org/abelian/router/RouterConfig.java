package org.abelian.router;

import java.time.Duration;
import java.util.List;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.PoolLimits;
import org.abelian.router.transaction.Recovery;

/**
 * What a router is started with.
 *
 * @param seeds addresses of nodes, at least one; the catalogue on them names the others
 * @param database the database on every node
 * @param user the role of control connections: reads the catalogue, finishes what dead routers left
 * @param password of that role; null where nodes ask for none
 * @param limits bounds of the connection pools
 * @param courtesy how long recovery leaves alone what other routers may still be committing
 */
public record RouterConfig(
    List<NodeAddress> seeds,
    String database,
    String user,
    String password,
    PoolLimits limits,
    Duration courtesy) {
  /** Copies the list. */
  public RouterConfig {
    if (seeds.isEmpty()) {
      throw new IllegalArgumentException("a router needs the address of at least one node");
    }
    seeds = List.copyOf(seeds);
  }

  /** With the usual courtesy. */
  public RouterConfig(
      List<NodeAddress> seeds, String database, String user, String password, PoolLimits limits) {
    this(seeds, database, user, password, limits, Recovery.COURTESY);
  }

  @Override
  public String toString() {
    return "RouterConfig[seeds=" + seeds + ", database=" + database + ", user=" + user + "]";
  }
}
