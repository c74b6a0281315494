package org.abelian.workloads.commit;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.abelian.router.backend.CatalogReader;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.CatalogStore;
import org.abelian.router.catalog.Node;
import org.abelian.router.pool.IoContext;
import org.abelian.router.pool.NodeIdentity;
import org.abelian.router.pool.NodePools;
import org.abelian.router.pool.PoolLimits;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.protocol.ScramSecret;
import org.abelian.router.tls.NodeTls;
import org.abelian.router.tls.NodeTlsSettings;
import org.abelian.router.transaction.CommitLedger;
import org.abelian.router.transaction.ControlPools;
import org.abelian.router.transaction.DecisionRetention;
import org.abelian.router.transaction.GidSource;
import org.abelian.router.transaction.JdbcControlNetwork;
import org.abelian.router.transaction.NodeCalls;

/** The committing part of a router, with its duties beside. */
final class Committer implements AutoCloseable {
  final GidSource gids;
  final CommitLedger ledger = new CommitLedger();
  final NodeTls tls = new NodeTls(NodeTlsSettings.DEFAULT);
  private final ControlPools pools;
  private final NodePools readers =
      new NodePools(PoolLimits.DEFAULT, IoContext.of(MemoryBudget.unlimited(), tls));
  private final CatalogStore catalog;
  private final ScheduledExecutorService duties =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "forget");
            thread.setDaemon(true);
            return thread;
          });

  Committer(Node seed, String database, String user, String password) {
    pools = new ControlPools(database, user, password, tls);
    NodeIdentity identity =
        new NodeIdentity(
            Map.of("user", user, "database", database), new ScramSecret.Password(password));
    catalog =
        new CatalogStore(
            new CatalogReader(address -> readers.routersPool(address, identity)), List.of(seed));
    NodeCalls calls = new NodeCalls(pools, catalog::current);
    gids = new GidSource(UUID.randomUUID());
    DecisionRetention retention =
        new DecisionRetention(new JdbcControlNetwork(calls), ledger, DecisionRetention.SWEEP_AGE);
    every(1000, retention::forgetFinished);
  }

  private void every(long millis, Runnable duty) {
    duties.scheduleWithFixedDelay(duty, millis, millis, TimeUnit.MILLISECONDS);
  }

  Catalog catalog() {
    return catalog.current();
  }

  @Override
  public void close() {
    duties.shutdownNow();
    pools.close();
    readers.close();
  }
}
