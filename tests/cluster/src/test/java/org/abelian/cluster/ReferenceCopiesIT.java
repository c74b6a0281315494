package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Each node finds the rows of a change in its own copy of a reference table, one node after the
 * other: whatever others commit meanwhile, the copies come out alike. Without the locks of {@code
 * cluster/copies.rs} they differ after a second.
 */
@WithCluster
class ReferenceCopiesIT {
  private static final int SECONDS = Integer.getInteger("abelian.soak.seconds", 4);
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());
  private static final int SESSIONS = 8;

  /** What one PostgreSQL may say, too, and deadlocks. */
  private static final Set<String> EXPECTED = Set.of("23505", "40001", "40P01");

  private static final List<String> CHANGES =
      List.of(
          "UPDATE copied SET a = (a + 1) % 3 WHERE id = $",
          "UPDATE copied SET a = (a + 1) % 3 WHERE id = $",
          "UPDATE copied SET b = b + 1 WHERE a = $ % 3",
          "UPDATE copied SET b = b + 1 WHERE id = $ AND a = 1",
          "INSERT INTO copied VALUES ($, 0, 0) ON CONFLICT DO NOTHING",
          "INSERT INTO copied VALUES ($, 1, 0) ON CONFLICT (id) DO UPDATE SET b = copied.b + 1",
          "INSERT INTO copied SELECT k + $, 2, n FROM source WHERE k = 1",
          "INSERT INTO copied (id, uq) VALUES ($, $ + 1) ON CONFLICT (uq) DO NOTHING",
          "INSERT INTO copied (id, uq) VALUES ($, $ + 2) ON CONFLICT (id) DO UPDATE SET uq ="
              + " excluded.uq",
          "UPDATE copied SET hits = hits + 1 WHERE id = $",
          "UPDATE copied SET hits = hits + 1 WHERE a = $ % 3",
          "DELETE FROM copied WHERE id = $",
          "DELETE FROM copied WHERE b % 7 = 3 AND a = $ % 3",
          "UPDATE copied SET id = id + 1 WHERE id = $",
          "UPDATE copied SET b = n FROM source WHERE k = a AND id < $",
          "UPDATE copied SET b = (SELECT sum(n) FROM source WHERE k <> a) WHERE id BETWEEN $ AND $"
              + " + 3",
          "MERGE INTO copied USING source ON id = k + $ WHEN MATCHED THEN UPDATE SET b = n WHEN NOT"
              + " MATCHED THEN INSERT VALUES (k + $, 0, n)",
          "UPDATE source SET n = n + 1 WHERE k = $ % 3");

  private final LocalCluster cluster;
  private final RouterServer router;

  ReferenceCopiesIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    run(
        "DROP TABLE IF EXISTS copied, source",
        "CREATE TABLE copied (id int PRIMARY KEY, a int, b int, uq int UNIQUE, hits"
            + " abelian.counter DEFAULT 0)",
        "CREATE TABLE source (k int PRIMARY KEY, n int)",
        "SELECT create_reference_table('copied')",
        "SELECT create_distributed_table('source', 'k')",
        "INSERT INTO copied SELECT i, i % 3, 0 FROM generate_series(1, 30) i",
        "INSERT INTO source SELECT i, i FROM generate_series(0, 2) i");
  }

  @AfterEach
  void drop() throws SQLException {
    run("DROP TABLE IF EXISTS copied, source");
  }

  private void run(String... statements) throws SQLException {
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  @Test
  void copiesComeOutAlikeWhateverIsCommittedMeanwhile() throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    ExecutorService threads = Executors.newFixedThreadPool(SESSIONS);
    List<Future<Integer>> sessions = new ArrayList<>();
    for (int i = 0; i < SESSIONS; i++) {
      Random random = new Random(SEED + i);
      sessions.add(threads.submit(() -> change(random, end)));
    }
    int changes = 0;
    for (Future<Integer> session : sessions) {
      changes += session.get(SECONDS + 60L, TimeUnit.SECONDS);
    }
    threads.shutdown();
    assertTrue(changes > 0, "nothing was changed, seed " + SEED);
    List<List<String>> copies = new ArrayList<>();
    for (LocalNode node : cluster.nodes()) {
      copies.add(copy(node));
    }
    assertEquals(copies.get(0), copies.get(1), changes + " changes, seed " + SEED);
    assertEquals(copies.get(0), copies.get(2), changes + " changes, seed " + SEED);
  }

  /** Changes rows, every other time in a block of two statements; gives how many blocks it was. */
  private int change(Random random, long end) throws SQLException {
    int count = 0;
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement()) {
      while (System.nanoTime() < end) {
        connection.setAutoCommit(random.nextBoolean());
        try {
          statement.executeUpdate(sql(random));
          if (!connection.getAutoCommit()) {
            statement.executeUpdate(sql(random));
            connection.commit();
          }
          count++;
        } catch (SQLException refused) {
          assertTrue(
              EXPECTED.contains(refused.getSQLState()), refused.getMessage() + ", seed " + SEED);
          if (!connection.getAutoCommit()) {
            connection.rollback();
          }
        }
      }
    }
    return count;
  }

  private static String sql(Random random) {
    String number = Integer.toString(1 + random.nextInt(40));
    return CHANGES.get(random.nextInt(CHANGES.size())).replace("$", number);
  }

  private static String text(ResultSet rows, int column) {
    try {
      return rows.getString(column);
    } catch (SQLException lost) {
      throw new IllegalStateException(lost);
    }
  }

  private static List<String> copy(LocalNode node) throws SQLException {
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT * FROM copied ORDER BY id")) {
      List<String> copy = new ArrayList<>();
      while (rows.next()) {
        copy.add(
            IntStream.rangeClosed(1, 5)
                .mapToObj(at -> text(rows, at))
                .collect(Collectors.joining(" ")));
      }
      return copy;
    }
  }
}
