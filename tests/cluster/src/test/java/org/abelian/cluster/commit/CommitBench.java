package org.abelian.cluster.commit;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.router.backend.CatalogReader;
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
import org.abelian.router.transaction.CommitRequest;
import org.abelian.router.transaction.ControlPools;
import org.abelian.router.transaction.CoordinatedCommit;
import org.abelian.router.transaction.GidSource;
import org.abelian.router.transaction.JdbcControlNetwork;
import org.abelian.router.transaction.JdbcWaitSource;
import org.abelian.router.transaction.NodeCalls;
import org.abelian.router.transaction.Participant;
import org.abelian.router.transaction.Pause;

/** The parts of a router that commit, over the nodes of a cluster. */
final class CommitBench implements AutoCloseable {
  final UUID router = UUID.randomUUID();
  final CommitLedger ledger = new CommitLedger();
  final JdbcControlNetwork network;
  final JdbcWaitSource waits;
  final CoordinatedCommit commit;
  final GidSource gids = new GidSource(router);
  private final LocalCluster cluster;
  private final ControlPools pools;
  private final NodePools readers;
  private final List<JdbcParticipant> open = new ArrayList<>();

  CommitBench(LocalCluster cluster) throws SQLException {
    this.cluster = cluster;
    NodeTls tls = new NodeTls(NodeTlsSettings.DEFAULT);
    pools = new ControlPools(LocalNode.DATABASE, LocalNode.ROUTER, LocalNode.ROUTER, tls);
    readers = new NodePools(PoolLimits.DEFAULT, IoContext.of(MemoryBudget.unlimited(), tls));
    NodeIdentity identity =
        new NodeIdentity(
            Map.of("user", LocalNode.ROUTER, "database", LocalNode.DATABASE),
            new ScramSecret.Password(LocalNode.ROUTER));
    CatalogStore catalog =
        new CatalogStore(
            new CatalogReader(address -> readers.routersPool(address, identity)),
            List.of(new Node(0, "127.0.0.1", cluster.node(0).port())));
    NodeCalls calls = new NodeCalls(pools, catalog::current);
    network = new JdbcControlNetwork(calls);
    waits = new JdbcWaitSource(calls);
    commit = new CoordinatedCommit(network, gids, ledger, Pause.SLEEP);
  }

  /** An empty table on each node, and nothing left of earlier tests. */
  void reset() throws SQLException {
    for (LocalNode node : cluster.nodes()) {
      rollBackPrepared(node);
      on(node, "DROP TABLE IF EXISTS work");
      on(
          node,
          "CREATE TABLE work (id int PRIMARY KEY, v int, CONSTRAINT once UNIQUE (v) DEFERRABLE"
              + " INITIALLY DEFERRED)");
    }
  }

  private static void rollBackPrepared(LocalNode node) throws SQLException {
    List<String> gids = new ArrayList<>();
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement()) {
      try (ResultSet rows = statement.executeQuery("SELECT gid FROM pg_prepared_xacts")) {
        while (rows.next()) {
          gids.add(rows.getString(1));
        }
      }
      for (String gid : gids) {
        statement.execute("ROLLBACK PREPARED '" + gid + "'");
      }
      statement.execute("DELETE FROM abelian.decision");
    }
  }

  void on(LocalNode node, String sql) throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** A transaction that has run the statement on each of the nodes, counted from 1. */
  List<JdbcParticipant> begin(long session, String sql, int... nodes) throws SQLException {
    List<JdbcParticipant> parts = new ArrayList<>();
    for (int node : nodes) {
      JdbcParticipant part =
          new JdbcParticipant(node, cluster.node(node - 1), router + ":" + session);
      open.add(part);
      part.execute("BEGIN");
      part.execute(sql);
      parts.add(part);
    }
    return parts;
  }

  CommitRequest request(List<JdbcParticipant> parts) throws SQLException {
    return new CommitRequest(1, parts.get(0).token(), List.<Participant>copyOf(parts), List.of());
  }

  /** On how many nodes the row is to be seen. */
  int nodesWith(int id) throws SQLException {
    int found = 0;
    for (LocalNode node : cluster.nodes()) {
      found += number(node, "SELECT count(*) FROM work WHERE id = " + id);
    }
    return found;
  }

  /** Prepared transactions and decisions on all nodes. */
  int leftovers() throws SQLException {
    int found = 0;
    for (LocalNode node : cluster.nodes()) {
      found +=
          number(
              node,
              "SELECT (SELECT count(*) FROM pg_prepared_xacts) + (SELECT count(*) FROM"
                  + " abelian.decision)");
    }
    return found;
  }

  int number(LocalNode node, String sql) throws SQLException {
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getInt(1);
    }
  }

  @Override
  public void close() throws SQLException {
    for (JdbcParticipant part : open) {
      part.close();
    }
    pools.close();
    readers.close();
  }
}
