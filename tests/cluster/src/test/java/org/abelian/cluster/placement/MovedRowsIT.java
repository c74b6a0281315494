package org.abelian.cluster.placement;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tables with rows are distributed, made reference tables and undistributed: the rows follow. */
@WithCluster
class MovedRowsIT {
  private static final String ALL = "SELECT * FROM moved ORDER BY id";

  private final LocalCluster cluster;
  private final RouterServer router;
  private Connection connection;
  private Statement statement;

  MovedRowsIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void fill() throws SQLException {
    connection = router.connect();
    statement = connection.createStatement();
    run("DROP TABLE IF EXISTS moved_child, moved, moved_parent");
    run(
        """
        CREATE TABLE moved (gone int, id int, "Some ""name" text, n numeric, b bytea, j jsonb,
          at timestamptz, f float8, a text[], likes abelian.counter NOT NULL DEFAULT 0,
          twice int GENERATED ALWAYS AS (id * 2) STORED, given int GENERATED ALWAYS AS IDENTITY,
          serial bigserial, PRIMARY KEY (id))\
        """);
    run("ALTER TABLE moved DROP COLUMN gone");
    run(
        """
        INSERT INTO moved (id, "Some ""name", n, b, j, at, f, a, likes)
        SELECT i, CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN E'a"b\\\\c,{d}\\n' || i ELSE repeat('x', i * 10) END,
               i / 7.0, decode(md5(i::text), 'hex'), jsonb_build_object('k', ARRAY[i, NULL]),
               '2024-03-31 01:30+01'::timestamptz + i * interval '1 hour 1 microsecond', sqrt(i), ARRAY['NULL', NULL, '"', i::text], i
          FROM generate_series(1, 3000) i\
        """);
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  @Test
  void theRowsOfADistributedTableAreTheSameEachOnItsNode() throws SQLException {
    List<String> before = rows(ALL);
    run("SELECT create_distributed_table('moved', 'id')");
    assertEquals(before, rows(ALL));
    assertSpread();
    run("UPDATE moved SET likes = likes + 1 WHERE id = 7");
    assertEquals(List.of("8"), rows("SELECT likes FROM moved WHERE id = 7"));
    run("SELECT undistribute_table('moved')");
    run("UPDATE moved SET likes = likes - 1 WHERE id = 7");
    assertEquals(before, rows(ALL));
    assertEquals(List.of(3000L, 0L, 0L), counts());
    run(
        "SELECT create_distributed_table('moved', 'id', 'hash', colocate_with => 'none',"
            + " shard_count => 7)");
    assertEquals(before, rows(ALL));
    assertSpread();
  }

  @Test
  void aReferenceTableHasAllRowsOnAllNodesUntilItIsUndistributed() throws SQLException {
    List<String> before = rows(ALL);
    run("CALL create_reference_table('moved')");
    assertEquals(List.of(3000L, 3000L, 3000L), counts());
    for (LocalNode node : cluster.nodes()) {
      try (Connection direct = node.connectAsSuperuser();
          Statement there = direct.createStatement()) {
        assertEquals(before, rows(there, ALL));
      }
    }
    run("SELECT undistribute_table('moved')");
    assertEquals(List.of(3000L, 0L, 0L), counts());
    assertEquals(before, rows(ALL));
  }

  @Test
  void sequencesGoOnAboveWhatTheyHaveGiven() throws SQLException {
    run("SELECT create_distributed_table('moved', 'id')");
    insert(4001, 4600);
    assertEquals(
        List.of("3600|3600|3600"),
        rows("SELECT count(*), count(DISTINCT serial), count(DISTINCT given) FROM moved"));
    run("SELECT undistribute_table('moved')");
    insert(5001, 5100);
    run("SELECT create_distributed_table('moved', 'id')");
    insert(6001, 6100);
    assertEquals(
        List.of("3800|3800|3800"),
        rows("SELECT count(*), count(DISTINCT serial), count(DISTINCT given) FROM moved"));
  }

  @Test
  void whatIsRolledBackLeavesTheRowsWhereTheyWere() throws SQLException {
    List<String> before = rows(ALL);
    connection.setAutoCommit(false);
    run("SAVEPOINT s");
    run("SELECT create_distributed_table('moved', 'id')");
    run("ROLLBACK TO s");
    run("SELECT create_reference_table('moved')");
    connection.rollback();
    assertEquals(before, rows(ALL));
    run("DELETE FROM moved WHERE id = 1");
    run("SELECT create_distributed_table('moved', 'id')");
    run("DELETE FROM moved WHERE id = 2");
    connection.commit();
    connection.setAutoCommit(true);
    assertEquals(before.subList(2, 3000), rows(ALL));
    assertSpread();
  }

  @Test
  void aRowThatNoNodeMayHaveLeavesAllRowsWhereTheyWere() throws SQLException {
    run("ALTER TABLE moved DROP CONSTRAINT moved_pkey");
    run("ALTER TABLE moved ALTER id DROP NOT NULL");
    run("INSERT INTO moved (id) VALUES (NULL)");
    List<String> before = rows(ALL);
    SQLException error =
        assertThrows(
            SQLException.class,
            () ->
                run(
                    "SELECT create_distributed_table('moved', 'id', 'range', rule => 'WHEN id < 5"
                        + " THEN 0 WHEN id < 50 THEN 1')"));
    assertEquals("23514", error.getSQLState(), error.getMessage());
    assertEquals(before, rows(ALL));
    assertEquals(List.of(3001L, 0L, 0L), counts());
  }

  @Test
  void rowsThatReferToOthersFollowThem() throws SQLException {
    run("CREATE TABLE moved_parent (code text PRIMARY KEY)");
    run("INSERT INTO moved_parent SELECT 'c' || i FROM generate_series(0, 9) i");
    run(
        "CREATE TABLE moved_child (id int REFERENCES moved, k int, up int, code text REFERENCES"
            + " moved_parent, PRIMARY KEY (id, k), FOREIGN KEY (id, up) REFERENCES moved_child ON"
            + " DELETE CASCADE)");
    run("INSERT INTO moved_child SELECT i, 2, 2, 'c' || i % 10 FROM generate_series(1, 300) i");
    run("INSERT INTO moved_child SELECT i, 1, 2, 'c' || i % 10 FROM generate_series(1, 300) i");
    run("SELECT create_reference_table('moved_parent')");
    SQLException error =
        assertThrows(
            SQLException.class, () -> run("SELECT create_distributed_table('moved', 'id')"));
    assertEquals("0A000", error.getSQLState());
    run("ALTER TABLE moved_child DROP CONSTRAINT moved_child_id_fkey");
    run("SELECT create_distributed_table('moved', 'id')");
    run("SELECT create_distributed_table('moved_child', 'id', colocate_with => 'moved')");
    run("ALTER TABLE moved_child ADD FOREIGN KEY (id) REFERENCES moved");
    assertEquals(List.of("600"), rows("SELECT count(*) FROM moved_child"));
    assertEquals(
        List.of("600"),
        rows(
            "SELECT count(*) FROM moved_child JOIN moved USING (id) JOIN moved_parent USING"
                + " (code)"));
    error = assertThrows(SQLException.class, () -> run("SELECT undistribute_table('moved_child')"));
    assertEquals("0A000", error.getSQLState());
    assertEquals(List.of("600"), rows("SELECT count(*) FROM moved_child"));
  }

  @Test
  void partitionsKeepTheirRows() throws SQLException {
    run("DROP TABLE IF EXISTS moved_tree");
    run("CREATE TABLE moved_tree (id int, day int, x text) PARTITION BY RANGE (day)");
    run("CREATE TABLE moved_tree_1 PARTITION OF moved_tree FOR VALUES FROM (0) TO (10)");
    run("CREATE TABLE moved_tree_2 PARTITION OF moved_tree DEFAULT");
    run("INSERT INTO moved_tree SELECT i, i % 20, 'x' || i FROM generate_series(1, 1000) i");
    String each = "SELECT tableoid::regclass::text, id, day, x FROM moved_tree ORDER BY id";
    List<String> before = rows("SELECT id, day, x FROM moved_tree ORDER BY id");
    run("SELECT create_distributed_table('moved_tree', 'id')");
    assertEquals(before, rows("SELECT id, day, x FROM moved_tree ORDER BY id"));
    assertEquals(List.of("500"), rows("SELECT count(*) FROM moved_tree_1"));
    run("SELECT undistribute_table('moved_tree')");
    assertEquals(before.size(), rows(each).size());
    assertEquals(before, rows("SELECT id, day, x FROM moved_tree ORDER BY id"));
    run("DROP TABLE moved_tree");
  }

  @Test
  void aWriterWaitsAndFindsTheNewPlacement() throws Exception {
    connection.setAutoCommit(false);
    run("SELECT create_distributed_table('moved', 'id')");
    CompletableFuture<Integer> writing =
        CompletableFuture.supplyAsync(
            () -> {
              try (Connection other = router.connect();
                  Statement writer = other.createStatement()) {
                return writer.executeUpdate("UPDATE moved SET n = 1 WHERE id BETWEEN 1 AND 50");
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    connection.commit();
    assertEquals(50, writing.get(60, TimeUnit.SECONDS));
    connection.setAutoCommit(true);
    assertEquals(List.of("50"), rows("SELECT count(*) FROM moved WHERE n = 1"));
  }

  @Test
  void aMoveThatTakesTooLongLeavesAllRowsWhereTheyWere() throws SQLException {
    List<String> before = rows(ALL);
    connection.setAutoCommit(false);
    run("SET LOCAL statement_timeout = '10ms'");
    SQLException error =
        assertThrows(
            SQLException.class, () -> run("SELECT create_distributed_table('moved', 'id')"));
    assertEquals("57014", error.getSQLState());
    connection.rollback();
    connection.setAutoCommit(true);
    assertEquals(before, rows(ALL));
  }

  private void assertSpread() throws SQLException {
    List<Long> counts = counts();
    assertTrue(counts.stream().allMatch(count -> count > 0), counts.toString());
    assertEquals(rows(ALL).size(), counts.stream().mapToLong(Long::longValue).sum());
    for (String id : rows("SELECT id FROM moved WHERE id % 100 = 0 ORDER BY id")) {
      assertEquals(List.of(id), rows("SELECT id FROM moved WHERE id = " + id));
    }
  }

  private List<Long> counts() throws SQLException {
    List<Long> counts = new ArrayList<>();
    for (LocalNode node : cluster.nodes()) {
      try (Connection direct = node.connectAsSuperuser();
          Statement there = direct.createStatement()) {
        counts.add(Long.parseLong(rows(there, "SELECT count(*) FROM moved").get(0)));
      }
    }
    return counts;
  }

  private void insert(int from, int to) throws SQLException {
    String ids =
        IntStream.rangeClosed(from, to).mapToObj(id -> "(" + id + ")").collect(joining(", "));
    run("INSERT INTO moved (id) VALUES " + ids);
  }

  private void run(String sql) throws SQLException {
    statement.execute(sql);
  }

  private List<String> rows(String query) throws SQLException {
    return rows(statement, query);
  }

  private static List<String> rows(Statement statement, String query) throws SQLException {
    List<String> found = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          row.append(i > 1 ? "|" : "").append(rows.getString(i));
        }
        found.add(row.toString());
      }
    }
    return found;
  }
}
