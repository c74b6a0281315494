package org.abelian.histories;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.histories.cells.CellClient;
import org.abelian.histories.cells.CellRecord;
import org.abelian.histories.order.CellChecker;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * SERIALIZABLE transactions over three nodes have a serial order. System property {@code
 * abelian.seconds} sets how long they are run, {@code abelian.seed} the first seed.
 */
@WithCluster(settings = {"deadlock_timeout=100ms", "max_pred_locks_per_transaction=256"})
class SerializableIT {
  private static final long SECONDS = Long.getLong("abelian.seconds", 6);
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());
  private static final int CLIENTS = 5;
  private static final int EACH = 40;
  private static final int CELLS = 7;
  private static final int HISTORIES_MAX = 40;

  private final LocalCluster cluster;
  private final RouterServer router;

  SerializableIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS cell");
      statement.execute(
          "CREATE TABLE cell (id int PRIMARY KEY, log bigint[] NOT NULL DEFAULT '{}')");
      statement.execute("SELECT create_distributed_table('cell', 'id')");
    }
  }

  @Test
  void transactionsOverSeveralNodesHaveASerialOrder() throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    int committed = 0;
    int failed = 0;
    for (long seed = SEED; System.nanoTime() < end; seed++) {
      History history = run(seed, "SET default_transaction_isolation = 'serializable'");
      assertEquals(List.of(), history.complaints(), "seed " + seed);
      committed += history.records().size();
      failed += history.failed();
    }
    System.out.println(
        "from seed " + SEED + ": " + committed + " committed, " + failed + " failed");
    assertTrue(committed > failed / 4, "hardly anything commits: " + committed);
  }

  @Test
  void snapshotsThatDifferBetweenNodesAreNoticed() throws Exception {
    mustNotice(
        "SET abelian.distributed_isolation = 'per_node';"
            + "SET default_transaction_isolation = 'serializable'");
  }

  @Test
  void writeSkewIsNoticed() throws Exception {
    mustNotice("SET default_transaction_isolation = 'repeatable read'");
  }

  private void mustNotice(String level) throws Exception {
    for (long seed = SEED; seed < SEED + HISTORIES_MAX; seed++) {
      List<String> complaints = run(seed, level).complaints();
      if (!complaints.isEmpty()) {
        assertTrue(complaints.get(0).startsWith("no serial order"), complaints.toString());
        return;
      }
    }
    throw new AssertionError("not noticed from seed " + SEED + ": " + level);
  }

  private record History(List<CellRecord> records, Map<Integer, List<Long>> end, int failed) {
    List<String> complaints() {
      return CellChecker.complaints(records, end);
    }
  }

  private History run(long seed, String level) throws Exception {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DELETE FROM cell");
    }
    List<Callable<CellClient>> clients = new ArrayList<>();
    for (int number = 1; number <= CLIENTS; number++) {
      int client = number;
      clients.add(
          () -> {
            try (Connection connection = client % 2 == 0 ? cluster.connect() : router.connect()) {
              connection.createStatement().execute(level);
              return new CellClient(seed, client, CELLS).run(connection, EACH);
            }
          });
    }
    List<CellRecord> records = new ArrayList<>();
    int failed = 0;
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try {
      for (Future<CellClient> client : threads.invokeAll(clients, 2, TimeUnit.MINUTES)) {
        records.addAll(client.get().committed());
        failed += client.get().failed();
      }
    } finally {
      threads.shutdownNow();
    }
    return new History(records, readEnd(), failed);
  }

  private Map<Integer, List<Long>> readEnd() throws SQLException {
    Map<Integer, List<Long>> end = new HashMap<>();
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id, log FROM cell")) {
      while (rows.next()) {
        end.put(rows.getInt(1), CellClient.list(rows.getArray(2)));
      }
    }
    return end;
  }
}
