package org.abelian.cluster;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.abelian.harness.FaultProxy;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;

/** Nodes behind fault proxies, and one router that knows only the proxies. */
final class ProxiedCluster implements AutoCloseable {
  /** Promise of issue and protocol page: nothing stays prepared longer, once all are up again. */
  private static final int RESOLVED_SECONDS_MAX = 10;

  /**
   * In milliseconds. What a killed router left is recovered at the first look: nothing but patience
   * would make it wait, which the other tests with faults have.
   */
  private static final String[] COURTESY = {"--recovery-courtesy", "100"};

  private final List<LocalNode> nodes;
  private final List<FaultProxy> proxies;
  private final LocalCluster cluster;
  private final RouterServer router;

  private ProxiedCluster(
      List<LocalNode> nodes, List<FaultProxy> proxies, LocalCluster cluster, RouterServer router) {
    this.nodes = nodes;
    this.proxies = proxies;
    this.cluster = cluster;
    this.router = router;
  }

  static ProxiedCluster create(int count) {
    List<LocalNode> nodes = LocalCluster.createNodes(count, Map.of());
    List<FaultProxy> proxies = nodes.stream().map(n -> FaultProxy.to(n.port())).toList();
    LocalCluster cluster =
        LocalCluster.register(nodes, proxies.stream().map(FaultProxy::port).toList());
    return new ProxiedCluster(nodes, proxies, cluster, startRouter(cluster));
  }

  private static RouterServer startRouter(LocalCluster cluster) {
    return RouterServer.start(cluster, COURTESY);
  }

  /** Another router beside the first. */
  RouterServer startAnotherRouter() {
    return startRouter(cluster);
  }

  RouterServer router() {
    return router;
  }

  List<LocalNode> nodes() {
    return nodes;
  }

  LocalNode node(int index) {
    return nodes.get(index);
  }

  FaultProxy proxy(int index) {
    return proxies.get(index);
  }

  List<FaultProxy> proxies() {
    return proxies;
  }

  /** One key of the table's rows for each node, in the order of the nodes. */
  List<Integer> keyOfEachNode(String table) throws SQLException {
    List<Integer> keys = new ArrayList<>();
    for (LocalNode node : nodes) {
      keys.add((int) number(node, "SELECT min(id) FROM " + table));
    }
    return keys;
  }

  static long number(LocalNode node, String query) throws SQLException {
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  /** Prepared transactions on all nodes. */
  List<String> prepared() throws SQLException {
    List<String> gids = new ArrayList<>();
    for (LocalNode node : nodes) {
      try (Connection connection = node.connectAsSuperuser();
          Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("SELECT gid FROM pg_prepared_xacts")) {
        while (rows.next()) {
          gids.add(node.name() + " " + rows.getString(1));
        }
      }
    }
    return gids;
  }

  /** Waits until no transaction is prepared; what is left after the promised time otherwise. */
  List<String> preparedAfterRecovery() throws SQLException, InterruptedException {
    long deadline = System.nanoTime() + RESOLVED_SECONDS_MAX * 1_000_000_000L;
    List<String> left = prepared();
    while (!left.isEmpty() && System.nanoTime() < deadline) {
      Thread.sleep(100);
      left = prepared();
    }
    return left;
  }

  /** Waits until no lane has anything pending or is closed; what is left after the time. */
  List<String> lanesAfterRecovery(long seconds) throws SQLException, InterruptedException {
    long deadline = System.nanoTime() + seconds * 1_000_000_000L;
    List<String> left = unfinishedLanes();
    while (!left.isEmpty() && System.nanoTime() < deadline) {
      Thread.sleep(100);
      left = unfinishedLanes();
    }
    return left;
  }

  private List<String> unfinishedLanes() throws SQLException {
    List<String> found = closedLanes();
    for (LocalNode node : nodes) {
      if (number(node, "SELECT cardinality(abelian.independent_pending(-1000))") > 0) {
        found.add("pending on " + node);
      }
    }
    return found;
  }

  /** Lanes that do not take part in independent transactions at the moment. */
  List<String> closedLanes() throws SQLException {
    List<String> found = new ArrayList<>();
    for (LocalNode node : nodes) {
      if (number(node, "SELECT (abelian.independent_state())[3]") == 0) {
        found.add("closed on " + node);
      }
    }
    return found;
  }

  /** Starts what was killed and forgets faults that did not strike. */
  void heal() {
    proxies.forEach(FaultProxy::disarm);
    nodes.forEach(LocalNode::start);
    router.start();
  }

  @Override
  public void close() {
    router.close();
    proxies.forEach(FaultProxy::close);
    nodes.forEach(LocalNode::close);
  }
}
