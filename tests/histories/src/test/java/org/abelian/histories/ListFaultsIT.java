package org.abelian.histories;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.abelian.harness.FaultProxy;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.histories.lists.Connector;
import org.abelian.histories.lists.Kind;
import org.abelian.histories.lists.ListClient;
import org.abelian.histories.lists.ListHistory;
import org.abelian.histories.lists.ListRun;
import org.abelian.histories.lists.ListTables;
import org.abelian.histories.order.ListChecker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Histories of all commit classes while a node or a router process is killed, or connections are
 * cut. System property {@code abelian.seconds} sets how long, {@code abelian.seed} the first seed.
 */
class ListFaultsIT {
  private static final long SECONDS = Long.getLong("abelian.seconds", 8);
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());
  private static final int NODES = 3;
  private static final int CLIENTS = 8;
  private static final int KEYS = 8;
  private static final int FAULTS = 3;
  private static final int BETWEEN_FAULTS_MILLIS = 2_500;
  private static final long RECOVERY_SECONDS_MAX = 60;

  private static List<LocalNode> nodes;
  private static List<FaultProxy> proxies;
  private static LocalCluster cluster;
  private static RouterServer router;
  private static ListTables tables;

  @BeforeAll
  static void createCluster() throws Exception {
    nodes = LocalCluster.createNodes(NODES, Map.of("deadlock_timeout", "100ms"));
    proxies = nodes.stream().map(node -> FaultProxy.to(node.port())).toList();
    cluster = LocalCluster.register(nodes, proxies.stream().map(FaultProxy::port).toList());
    router = RouterServer.start(cluster);
    tables = ListTables.of(cluster);
  }

  @AfterAll
  static void removeCluster() {
    if (router != null) {
      router.close();
    }
    if (proxies != null) {
      proxies.forEach(FaultProxy::close);
    }
    if (nodes != null) {
      nodes.forEach(LocalNode::close);
    }
  }

  @Test
  void historiesWithFaultsAreSerializable() throws Exception {
    ListSummary summary = new ListSummary();
    long end = System.nanoTime() + SECONDS * 1_000_000_000L;
    for (long seed = SEED; System.nanoTime() < end; seed++) {
      ListHistory history = run(seed);
      summary.add(history);
      List<String> complaints = ListChecker.complaints(history);
      assertEquals(List.of(), complaints, "seed " + seed + ": " + String.join("\n", complaints));
      assertEquals(List.of(), leftBehind(), "seed " + seed);
    }
    System.out.println("from seed " + SEED + ": " + summary);
    assertEquals(Set.of(), summary.surprises(), "seed " + SEED);
    assertTrue(summary.committed() > 0, () -> "seed " + SEED + ": " + summary);
  }

  /** Clients with even numbers use the driver, the others the router process. */
  private static ListHistory run(long seed) throws Exception {
    Random random = new Random(seed);
    ListRun run =
        ListRun.start(
            tables.makeKeys(KEYS),
            seed,
            CLIENTS,
            number -> new ListClient(face(number)),
            EnumSet.allOf(Kind.class),
            Integer.MAX_VALUE);
    for (int i = 0; i < FAULTS; i++) {
      Thread.sleep(500 + random.nextInt(BETWEEN_FAULTS_MILLIS));
      strike(random);
    }
    Thread.sleep(random.nextInt(BETWEEN_FAULTS_MILLIS));
    run.stop();
    try {
      return run.awaitEnd(cluster::connect);
    } catch (IllegalStateException hanging) {
      throw new IllegalStateException("seed " + seed + ": " + activity(), hanging);
    }
  }

  /** What the nodes and the router are doing; of a node that cannot be asked, why. */
  private static String activity() {
    StringBuilder text = new StringBuilder();
    for (LocalNode node : nodes) {
      text.append(node).append('\n');
      try (Connection connection = node.connectAsSuperuser();
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "SELECT concat_ws(' | ', pid, pg_blocking_pids(pid), state, wait_event,"
                      + " clock_timestamp() - state_change, left(query, 200)) FROM"
                      + " pg_stat_activity WHERE backend_type = 'client backend' UNION ALL"
                      + " SELECT concat_ws(' | ', gid, prepared) FROM pg_prepared_xacts UNION ALL"
                      + " SELECT concat('pending ', abelian.independent_pending(-1000),"
                      + " ', lane ', abelian.independent_state())")) {
        while (row.next()) {
          text.append("    ").append(row.getString(1)).append('\n');
        }
      } catch (SQLException unreachable) {
        text.append("    ").append(unreachable).append('\n');
      }
    }
    return text.append(router.log()).toString();
  }

  private static Connector face(int number) {
    return number % 2 == 0 ? cluster::connect : router::connect;
  }

  private static void strike(Random random) throws InterruptedException {
    int node = random.nextInt(NODES);
    switch (random.nextInt(4)) {
      case 0 -> {
        router.kill();
        router.start();
      }
      case 1 -> proxies.get(node).cutAll();
      default -> {
        nodes.get(node).kill();
        Thread.sleep(random.nextInt(BETWEEN_FAULTS_MILLIS));
        nodes.get(node).start();
      }
    }
  }

  /** What recovery has not cleared away in its time. */
  private static List<String> leftBehind() throws Exception {
    long deadline = System.nanoTime() + RECOVERY_SECONDS_MAX * 1_000_000_000L;
    List<String> left = leftNow();
    while (!left.isEmpty() && System.nanoTime() < deadline) {
      Thread.sleep(200);
      left = leftNow();
    }
    return left;
  }

  private static List<String> leftNow() throws SQLException {
    List<String> left = new ArrayList<>();
    for (LocalNode node : nodes) {
      try (Connection connection = node.connectAsSuperuser();
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "SELECT (SELECT count(*) FROM pg_prepared_xacts),"
                      + " cardinality(abelian.independent_pending(-1000)),"
                      + " 1 - (abelian.independent_state())[3]")) {
        row.next();
        if (row.getInt(1) + row.getInt(2) + row.getInt(3) > 0) {
          left.add(
              "%s: %d prepared, %d pending, %d lanes closed"
                  .formatted(node, row.getInt(1), row.getInt(2), row.getInt(3)));
        }
      }
    }
    return left;
  }
}
