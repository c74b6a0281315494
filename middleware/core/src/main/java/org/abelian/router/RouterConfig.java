package org.abelian.router;

import java.time.Duration;
import java.util.List;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.PoolLimits;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.tls.NodeTlsSettings;
import org.abelian.router.transaction.Recovery;

/**
 * What a router is started with.
 *
 * @param seeds addresses of nodes, at least one; the catalogue on them names the others
 * @param database the database on every node
 * @param user the role of control connections: reads the catalogue, finishes what dead routers left
 * @param password of that role; null to look it up in the password file, host by host, as libpq
 *     does
 * @param tls how connections to nodes are encrypted, control connections included
 * @param limits bounds of the connection pools
 * @param courtesy how long recovery leaves alone what other routers may still be committing
 * @param memoryBytes what the buffers of all sessions may take
 */
public record RouterConfig(
    List<NodeAddress> seeds,
    String database,
    String user,
    String password,
    NodeTlsSettings tls,
    PoolLimits limits,
    Duration courtesy,
    long memoryBytes) {
  /** Copies the list. */
  public RouterConfig {
    if (seeds.isEmpty()) {
      throw new IllegalArgumentException("a router needs the address of at least one node");
    }
    seeds = List.copyOf(seeds);
  }

  /** With the usual courtesy and memory. */
  public RouterConfig(
      List<NodeAddress> seeds,
      String database,
      String user,
      String password,
      NodeTlsSettings tls,
      PoolLimits limits) {
    this(
        seeds, database, user, password, tls, limits, Recovery.COURTESY, MemoryBudget.usualBytes());
  }

  @Override
  public String toString() {
    return "RouterConfig[seeds=" + seeds + ", database=" + database + ", user=" + user + "]";
  }
}
