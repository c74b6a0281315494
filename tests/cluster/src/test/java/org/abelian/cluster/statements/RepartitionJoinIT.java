package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Of rows that move, each goes to the one node where it can meet others, and none is lost that
 * meets nothing: whatever the join, the types of what is compared, and the placement of the table
 * that stays.
 */
@WithNode
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RepartitionJoinIT {
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());
  private static final int READS = 100;
  private static final int READS_MAX = 10_000;

  /** Rows of the one table with the number of the one that they meet. */
  private static final List<String> PAIRS = List.of("1", "2", "4", "5", "7", "8", "9", "10", "11");

  private static final String DROP =
      "DROP TABLE IF EXISTS parent, listed, ruled, named, coded, here, fact, item, spare CASCADE";

  /** Tables that stay, each with another kind of key or placement. */
  private static final List<String> STAY =
      List.of(
          "CREATE TABLE parent (id int PRIMARY KEY, n int)",
          "CREATE TABLE listed (id int PRIMARY KEY, n int)",
          "CREATE TABLE ruled (id int PRIMARY KEY, n int)",
          "CREATE TABLE named (id varchar(12) PRIMARY KEY, n int)",
          "CREATE TABLE coded (id uuid PRIMARY KEY, n int)",
          "CREATE TABLE here (id int PRIMARY KEY, n int)");

  private static final List<String> MOVE =
      List.of(
          "CREATE TABLE fact (id int PRIMARY KEY, k int, b bigint, s smallint, t text, v"
              + " varchar(20), c char(8), u uuid, d numeric, n int)",
          "CREATE TABLE item (id int PRIMARY KEY, k bigint, b int, s smallint, t varchar(20), v"
              + " text, c char(8), u uuid, d numeric, n int)",
          "CREATE TABLE spare (k int, n int)");

  private static final List<String> PLACEMENTS =
      List.of(
          "SELECT create_distributed_table('parent', 'id', colocate_with => 'none')",
          "SELECT create_distributed_table('listed', 'id', distribution_type => 'range', rule =>"
              + " 'WHEN id < -700 THEN 1 WHEN id < -400 THEN 2 WHEN id < 1 THEN 0 WHEN id < 10 THEN"
              + " 2 WHEN id < 20 THEN 1 WHEN id < 45 THEN 0', shard_count => 3)",
          "SELECT create_distributed_table('ruled', 'id', distribution_type => 'lookup',"
              + " shard_count => 3)",
          "SELECT create_distributed_table('named', 'id')",
          "SELECT create_distributed_table('coded', 'id')",
          "SELECT create_reference_table('here')",
          "SELECT create_distributed_table('fact', 'id', colocate_with => 'none')",
          "SELECT create_distributed_table('item', 'id', colocate_with => 'none')",
          "SELECT create_distributed_table('spare', 'k', colocate_with => 'none')");

  private static final List<String> ROWS =
      List.of(
          "INSERT INTO parent SELECT i, i FROM generate_series(-1000, 44) i WHERE i % 6 <> 0",
          "INSERT INTO listed SELECT * FROM parent",
          "INSERT INTO ruled SELECT * FROM parent",
          "INSERT INTO here SELECT * FROM parent",
          "INSERT INTO named SELECT 'n' || i, i FROM generate_series(-1000, 44) i",
          "INSERT INTO coded SELECT md5(i::text)::uuid, i FROM generate_series(-1000, 44) i",
          "INSERT INTO fact SELECT i, nullif(i % 60, 3), nullif(i % 50, 4), i % 55 - 5, 'n' || i %"
              + " 60, nullif('n' || i % 50, 'n7'), 'n' || i % 40, md5((i % 60)::text)::uuid, i %"
              + " 60 / 2.0, i FROM generate_series(1, 300) i",
          "INSERT INTO item SELECT i, nullif(i % 70, 5), i % 45, i % 50 - 5, nullif('n' || i % 70,"
              + " 'n8'), 'n' || i % 45, 'n' || i % 50, md5((i % 70)::text)::uuid, i % 70 / 2.00, i"
              + " FROM generate_series(1, 280) i",
          "INSERT INTO spare SELECT nullif(i % 30, 2), i FROM generate_series(1, 100) i",
          "ANALYZE parent, listed, ruled, named, coded, here, fact, item, spare");

  private final RouterServer router;
  private final TwinTables tables;
  private Twins twins;
  private boolean kept;

  RepartitionJoinIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.router = router;
    this.tables = new TwinTables(single, router, RepartitionJoinIT::make, DROP);
  }

  private static void make(Twins twins) throws SQLException {
    twins.create(DROP, STAY, List.of());
    MOVE.forEach(twins::same);
    for (String placement : PLACEMENTS) {
      Twins.run(twins.routed(), placement);
    }
    Twins.run(twins.routed(), "SELECT abelian.place_key('ruled', '3', 2)");
    ROWS.forEach(twins::same);
  }

  @BeforeEach
  void open() throws SQLException {
    twins = tables.open();
    Twins.run(twins.routed(), "SET abelian.min_broadcast_size = 0");
    kept = true;
  }

  @AfterEach
  void close() throws SQLException {
    tables.close(twins, kept);
  }

  private void sameDivided(String sql) throws SQLException {
    assertTrue(explained(sql).contains("repartition join"), () -> explained(sql));
    twins.same(sql);
  }

  private String explained(String sql) {
    return String.join("\n", Twins.answer(twins.routed(), "EXPLAIN " + sql));
  }

  @ParameterizedTest
  @CsvSource({
    "parent, k",
    "parent, b",
    "parent, s",
    "listed, k",
    "ruled, k",
    "ruled, b",
    "named, t",
    "named, v",
    "coded, u"
  })
  void rowsGoWhereTheTableHasTheirKey(String table, String column) throws SQLException {
    for (String join :
        List.of(
            "fact f JOIN %1$s p ON f.%2$s = p.id",
            "fact f LEFT JOIN %1$s p ON f.%2$s = p.id",
            "fact f RIGHT JOIN %1$s p ON p.id = f.%2$s",
            "fact f FULL JOIN %1$s p ON p.id = f.%2$s",
            "fact f LEFT JOIN %1$s p ON p.id = f.%2$s AND p.n < 20 AND f.n > 50",
            "fact f JOIN %1$s p ON f.%2$s = p.id JOIN item i ON i.%2$s = p.id",
            "fact f JOIN %1$s p ON f.%2$s = p.id LEFT JOIN item i ON i.%2$s = f.%2$s")) {
      String from = join.formatted(table, column);
      String more = from.contains(" i ") ? ", sum(i.n), count(i.id)" : "";
      sameDivided("SELECT count(*), sum(f.n), sum(p.n), count(p.id)" + more + " FROM " + from);
      twins.sameUnordered("SELECT f.id, p.id FROM " + from);
      twins.same("SELECT f.id, p.n FROM " + from + " ORDER BY f.id, p.n LIMIT 40");
      twins.same(
          "SELECT p.id, count(*), max(f.n) FROM " + from + " GROUP BY p.id ORDER BY p.id, 2");
      twins.same("SELECT p.n % 3, count(DISTINCT f.n) FROM " + from + " GROUP BY 1 ORDER BY 1, 2");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"k", "b", "s", "t", "v", "u"})
  void rowsThatAllMoveMeetByTheHash(String column) throws SQLException {
    for (String join :
        List.of(
            "fact f FULL JOIN item i ON f.%1$s = i.%1$s",
            "fact f LEFT JOIN item i ON f.%1$s = i.%1$s LEFT JOIN fact g ON g.%1$s = f.%1$s",
            "fact f JOIN item i ON f.%1$s = i.%1$s RIGHT JOIN item j ON j.%1$s = i.%1$s")) {
      String from = join.formatted(column);
      String sums = "SELECT count(*), sum(f.n), sum(i.n), count(i.id) FROM ";
      sameDivided(sums + from);
      twins.same(sums + from + " JOIN here h ON h.id = f.s");
      twins.sameUnordered("SELECT f.id, i.id FROM " + from);
      twins.same("SELECT i." + column + ", count(*) FROM " + from + " GROUP BY 1 ORDER BY 1, 2");
      twins.same("SELECT f.id, i.id FROM " + from + " ORDER BY 1, 2 LIMIT 30");
      twins.same("SELECT count(*), count(s.n) FROM " + from + " FULL JOIN spare s ON s.k = i.s");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT count(*), sum(n) FROM fact f WHERE NOT EXISTS (SELECT FROM item i WHERE i.k = f.k)",
        "SELECT count(*), sum(n) FROM fact f WHERE k IN (SELECT k FROM item WHERE n > 30)",
        "SELECT sum(n), sum((SELECT max(i.n) FROM item i WHERE i.k = f.k)) FROM fact f",
        "SELECT count(*) FROM fact f JOIN LATERAL (SELECT i.n FROM item i WHERE i.k = f.k AND i.n >"
            + " f.n) x ON true LEFT JOIN spare s ON s.k = f.k",
        "SELECT count(*), sum(c) FROM (SELECT k, count(*) c FROM fact GROUP BY k) f FULL JOIN"
            + " (SELECT k, count(*) c2 FROM item GROUP BY k) i USING (k)",
        "WITH f AS (SELECT * FROM fact WHERE n < 200) SELECT count(*), sum(a.n) FROM f a LEFT JOIN"
            + " item b ON a.k = b.k LEFT JOIN f c ON c.k = b.k",
        "SELECT count(*), min(f.n) FROM fact f LEFT JOIN item i ON i.k = f.k AND i.t = f.t GROUP BY"
            + " f.k % 5 ORDER BY 1, 2"
      })
  void subqueriesAndQueriesOfWithAreDividedToo(String sql) throws SQLException {
    twins.same(sql);
    twins.same(sql.replace("FROM fact f ", "FROM fact f JOIN parent p ON p.id = f.k "));
  }

  /** Were rows divided for these, some would not meet. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT count(*) FROM fact WHERE k NOT IN (SELECT k FROM item)",
        "SELECT count(*) FROM fact WHERE k NOT IN (SELECT k FROM item WHERE k IS NOT NULL)",
        "SELECT count(*) FROM fact f LEFT JOIN item i ON f.k = i.k OR f.n = i.n",
        "SELECT count(*) FROM fact f FULL JOIN item i ON f.c = i.c",
        "SELECT count(*) FROM fact f FULL JOIN item i ON f.d = i.d",
        "SELECT count(*) FROM fact f LEFT JOIN item i ON f.t::bpchar = i.c",
        "SELECT count(*) FROM fact f LEFT JOIN item i ON f.k IS NOT DISTINCT FROM i.k",
        "SELECT count(*), sum((SELECT count(*) FROM item i WHERE i.k > f.k)) FROM fact f",
        "SELECT count(*) FROM fact f JOIN item i ON f.k = i.k JOIN spare s ON s.n = i.s",
        "SELECT count(*), count(x.n) FROM fact f LEFT JOIN (SELECT k, n FROM item ORDER BY n LIMIT"
            + " 50) x ON x.k = f.k",
        "SELECT count(*), sum(r) FROM (SELECT k, rank() OVER (ORDER BY n) r FROM item) x FULL JOIN"
            + " fact f ON f.k = x.k",
        "SELECT count(*) FROM (SELECT k FROM fact UNION SELECT k FROM item) x LEFT JOIN item i ON"
            + " i.k = x.k",
        "SELECT count(*) FROM (SELECT DISTINCT n % 10 AS m, min(k) AS k FROM fact GROUP BY n % 10)"
            + " x FULL JOIN item i ON i.k = x.k"
      })
  void whatMeetsOtherwiseIsRightAsWell(String sql) {
    twins.same(sql);
  }

  @Test
  void onlyTheNodesOfTheKeysAreAskedAndNoRowIsLost() throws SQLException {
    for (String condition : List.of("p.id = 7", "p.id IN (7, 12)", "p.id < 5", "f.k = 7")) {
      for (String kind : List.of("", "LEFT", "RIGHT", "FULL")) {
        String from = " FROM fact f " + kind + " JOIN listed p ON f.k = p.id";
        twins.same("SELECT count(*), sum(f.n), sum(p.n)" + from + " AND " + condition);
        twins.same("SELECT count(*), sum(f.n), sum(p.n)" + from + " WHERE " + condition);
      }
    }
  }

  @Test
  void parametersAreBoundAnewEachTime() throws SQLException {
    String sql =
        "SELECT count(*), sum(f.n) FROM fact f LEFT JOIN parent p ON p.id = f.k AND p.n > ? WHERE"
            + " f.n < ?";
    for (Connection connection : twins.both()) {
      connection.setAutoCommit(true);
    }
    List<List<String>> answers = new ArrayList<>();
    for (Connection connection : twins.both()) {
      List<String> answer = new ArrayList<>();
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        for (int i = 0; i < 12; i++) {
          statement.setInt(1, i * 3);
          statement.setInt(2, 300 - i);
          try (ResultSet rows = statement.executeQuery()) {
            Twins.add(rows, answer);
          }
        }
      }
      answers.add(answer);
    }
    assertEquals(answers.get(0), answers.get(1));
  }

  @Test
  void whatTheTransactionHasWrittenIsDividedAsWell() throws SQLException {
    kept = false;
    twins.same("BEGIN");
    twins.same("UPDATE fact SET k = 39 WHERE id < 100");
    twins.same("INSERT INTO parent VALUES (55, 1), (56, 2)");
    twins.same("DELETE FROM item WHERE k < 20");
    sameDivided("SELECT count(*), sum(p.n) FROM fact f FULL JOIN parent p ON p.id = f.k");
    sameDivided("SELECT count(*), sum(i.n) FROM fact f FULL JOIN item i ON i.k = f.k");
    twins.same("ROLLBACK");
  }

  @Test
  void whatIsTooMuchIsRefusedAndTheSessionGoesOn() throws SQLException {
    String sql = "SELECT count(*) FROM fact f FULL JOIN item i ON i.k = f.k";
    Twins.run(twins.routed(), "SET abelian.max_exchange_bytes = '1kB'");
    SQLException error = assertThrows(SQLException.class, () -> Twins.run(twins.routed(), sql));
    assertEquals("54000", error.getSQLState());
    Twins.run(twins.routed(), "RESET abelian.max_exchange_bytes");
    sameDivided(sql);
  }

  /** Rows that go to every node would be counted on each. */
  @Test
  void explainTellsWhatMoves() throws SQLException {
    String sql = "SELECT count(*), sum(i.n) FROM fact f FULL JOIN item i ON i.k = f.k";
    String plan = String.join("\n", Twins.run(twins.routed(), "EXPLAIN ANALYZE " + sql));
    assertTrue(plan.contains("repartitioned rows of part 0, 300 rows"), plan);
    assertTrue(plan.contains("to 3 nodes"), plan);
    assertFalse(plan.contains("all to each"), plan);
  }

  /** Without the snapshot that both rounds share, the first reads fail. */
  @Test
  void bothRoundsSeeEachTransactionWhollyOrNotAtAll() throws Exception {
    kept = false;
    twins.same("UPDATE fact SET n = 0");
    twins.same("UPDATE parent SET n = 0");
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger transactions = new AtomicInteger();
    ExecutorService writers = Executors.newFixedThreadPool(2);
    List<Future<?>> written = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Random random = new Random(SEED + i);
      written.add(writers.submit(() -> write(random, over, transactions)));
    }
    String torn =
        "SELECT count(*) FROM fact f LEFT JOIN parent p ON p.id = f.k WHERE f.id IN ("
            + String.join(", ", PAIRS)
            + ") AND p.n IS DISTINCT FROM -f.n";
    try {
      assertTrue(explained(torn).contains("repartition join"), () -> explained(torn));
      for (int i = 0; i < READS_MAX && (i < READS || transactions.get() < READS); i++) {
        assertEquals(
            List.of("0|"), Twins.run(twins.routed(), torn), "read " + i + ", seed " + SEED);
      }
    } finally {
      over.set(true);
      writers.shutdown();
    }
    for (Future<?> one : written) {
      one.get(60, TimeUnit.SECONDS);
    }
    assertTrue(transactions.get() >= READS, transactions + " transactions prove little");
  }

  /** Adds to a row of one table what is taken from the row of the other that it meets. */
  private Void write(Random random, AtomicBoolean over, AtomicInteger transactions)
      throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(
                router.jdbcUrl(), LocalNode.SUPERUSER, LocalNode.SUPERUSER);
        PreparedStatement parent =
            connection.prepareStatement("UPDATE parent SET n = n + ? WHERE id = ?");
        PreparedStatement fact =
            connection.prepareStatement("UPDATE fact SET n = n - ? WHERE id = ?")) {
      connection.setAutoCommit(false);
      while (!over.get()) {
        int which = Integer.parseInt(PAIRS.get(random.nextInt(PAIRS.size())));
        int amount = 1 + random.nextInt(9);
        for (PreparedStatement update : List.of(parent, fact)) {
          update.setInt(1, amount);
          update.setInt(2, which);
          update.executeUpdate();
        }
        connection.commit();
        transactions.incrementAndGet();
      }
    }
    return null;
  }
}
