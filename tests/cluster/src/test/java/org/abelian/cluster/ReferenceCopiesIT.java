package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
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

  private static final String DROP = "DROP TABLE IF EXISTS copied, source, parted, tree";

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
          "UPDATE source SET n = n + 1 WHERE k = $ % 3",
          "INSERT INTO parted VALUES ($, $ % 9, 0) ON CONFLICT DO NOTHING",
          "UPDATE parted SET part = (part + 4) % 9 WHERE id = $",
          "UPDATE parted SET b = b + 1 WHERE part < $ % 9",
          "UPDATE parted1 SET b = b * 2 WHERE id > $");

  /** Changes of a tree, one row each; what is deleted takes what is below it along. */
  private static final List<String> OF_TREE =
      List.of(
          "DELETE FROM tree WHERE id = $",
          "INSERT INTO tree VALUES ($, NULL) ON CONFLICT DO NOTHING",
          "INSERT INTO tree VALUES ($, $ / 2) ON CONFLICT DO NOTHING",
          "UPDATE tree SET n = n + 1 WHERE id = $");

  private final LocalCluster cluster;
  private final RouterServer router;

  ReferenceCopiesIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    run(
        DROP,
        "CREATE TABLE copied (id int PRIMARY KEY, a int, b int, uq int UNIQUE, hits"
            + " abelian.counter DEFAULT 0)",
        "CREATE TABLE source (k int PRIMARY KEY, n int)",
        "CREATE TABLE parted (id int, part int, b int, PRIMARY KEY (id, part)) PARTITION BY RANGE"
            + " (part)",
        "CREATE TABLE parted1 PARTITION OF parted FOR VALUES FROM (0) TO (4)",
        "CREATE TABLE parted2 PARTITION OF parted FOR VALUES FROM (4) TO (9)",
        "CREATE TABLE tree (id int PRIMARY KEY, up int REFERENCES tree ON DELETE CASCADE, n int"
            + " DEFAULT 0)",
        "SELECT create_reference_table('copied')",
        "SELECT create_reference_table('parted')",
        "SELECT create_reference_table('tree')",
        "SELECT create_distributed_table('source', 'k')",
        "INSERT INTO copied SELECT i, i % 3, 0 FROM generate_series(1, 30) i",
        "INSERT INTO source SELECT i, i FROM generate_series(0, 2) i");
  }

  @AfterEach
  void drop() throws SQLException {
    run(DROP);
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
    inSessions(
        (random, end) -> {
          try (Connection connection = router.connect()) {
            return change(connection, random, end);
          }
        });
    assertAlike("SELECT copied FROM copied ORDER BY id");
    assertAlike("SELECT parted FROM parted ORDER BY id, part");
  }

  @Test
  void deletionsThatCascadeWithinTheirTableMeetNoDeadlock() throws Exception {
    Set<String> noRowAbove = Set.of("23503");
    inSessions(
        (random, end) -> {
          try (Connection connection = router.connect()) {
            int count = 0;
            for (; System.nanoTime() < end; count++) {
              execute(connection, sql(OF_TREE, random), noRowAbove);
            }
            return count;
          }
        });
    assertAlike("SELECT tree FROM tree ORDER BY id");
  }

  @Test
  void whoMayNotChangeATableKeepsNobodyWaiting() throws SQLException {
    onEachNode("DROP ROLE IF EXISTS copies_reader", "CREATE ROLE copies_reader ROLE app");
    try (Connection writer = router.connect();
        Statement change = writer.createStatement();
        Connection reader = router.connect();
        Statement refused = reader.createStatement()) {
      writer.setAutoCommit(false);
      change.execute("UPDATE copied SET b = b + 1");
      refused.execute("SET lock_timeout = '20s'");
      refused.execute("SET ROLE copies_reader");
      SQLException error =
          assertThrows(SQLException.class, () -> refused.execute("UPDATE copied SET b = 9"));
      assertEquals("42501", error.getSQLState(), error.getMessage());
      writer.rollback();
    } finally {
      onEachNode("DROP ROLE copies_reader");
    }
  }

  private void onEachNode(String... statements) throws SQLException {
    for (LocalNode node : cluster.nodes()) {
      try (Connection connection = node.connectAsSuperuser();
          Statement statement = connection.createStatement()) {
        for (String sql : statements) {
          statement.execute(sql);
        }
      }
    }
  }

  private interface Work {
    /** Gives how many changes it was. */
    int until(Random random, long end) throws SQLException;
  }

  private static void inSessions(Work work) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    ExecutorService threads = Executors.newFixedThreadPool(SESSIONS);
    List<Future<Integer>> sessions = new ArrayList<>();
    for (int i = 0; i < SESSIONS; i++) {
      Random random = new Random(SEED + i);
      sessions.add(threads.submit(() -> work.until(random, end)));
    }
    int changes = 0;
    for (Future<Integer> session : sessions) {
      changes += session.get(SECONDS + 60L, TimeUnit.SECONDS);
    }
    threads.shutdown();
    assertTrue(changes > 0, "nothing was changed, seed " + SEED);
  }

  private void assertAlike(String query) throws SQLException {
    List<List<String>> copies = new ArrayList<>();
    for (LocalNode node : cluster.nodes()) {
      copies.add(copy(node, query));
    }
    assertEquals(copies.get(0), copies.get(1), query + ", seed " + SEED);
    assertEquals(copies.get(0), copies.get(2), query + ", seed " + SEED);
  }

  /** Changes rows, every other time in a block of two statements; gives how many blocks it was. */
  private static int change(Connection connection, Random random, long end) throws SQLException {
    int count = 0;
    while (System.nanoTime() < end) {
      connection.setAutoCommit(random.nextBoolean());
      boolean done = execute(connection, sql(CHANGES, random), EXPECTED);
      if (!connection.getAutoCommit()) {
        if (done && execute(connection, sql(CHANGES, random), EXPECTED)) {
          connection.commit();
        } else {
          connection.rollback();
        }
      }
      count += done ? 1 : 0;
    }
    return count;
  }

  private static boolean execute(Connection connection, String sql, Set<String> expected)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
      return true;
    } catch (SQLException refused) {
      assertTrue(
          expected.contains(refused.getSQLState()),
          sql + ": " + refused.getMessage() + ", seed " + SEED);
      return false;
    }
  }

  private static String sql(List<String> changes, Random random) {
    String number = Integer.toString(1 + random.nextInt(40));
    return changes.get(random.nextInt(changes.size())).replace("$", number);
  }

  private static List<String> copy(LocalNode node, String query) throws SQLException {
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      List<String> copy = new ArrayList<>();
      while (rows.next()) {
        copy.add(rows.getString(1));
      }
      return copy;
    }
  }
}
