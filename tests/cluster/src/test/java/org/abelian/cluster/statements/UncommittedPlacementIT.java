package org.abelian.cluster.statements;

import static org.abelian.cluster.statements.Twins.answer;
import static org.abelian.cluster.statements.Twins.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A table is used in the transaction that places it, as one PostgreSQL would, and only there. */
@WithNode
@WithCluster
class UncommittedPlacementIT {
  private static final String DROP = "DROP TABLE IF EXISTS young, child, code, old CASCADE";
  private static final String YOUNG =
      "CREATE TABLE young (id int PRIMARY KEY, name text, n int DEFAULT 0)";
  private static final String DISTRIBUTE = "SELECT create_distributed_table('young', 'id')";

  private final LocalCluster cluster;
  private final RouterServer router;
  private final LocalNode single;
  private Twins twins;

  UncommittedPlacementIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.cluster = cluster;
    this.router = router;
  }

  @AfterEach
  void close() throws SQLException {
    if (twins != null) {
      twins.close();
    }
    connect("");
    both("ROLLBACK", DROP);
    twins.close();
  }

  private void connect(String options) throws SQLException {
    twins = new Twins(single, router, options);
    both("SET client_min_messages = error", DROP);
  }

  private Connection superuser() throws SQLException {
    return DriverManager.getConnection(router.jdbcUrl(), LocalNode.SUPERUSER, LocalNode.SUPERUSER);
  }

  private void both(String... texts) {
    for (String sql : texts) {
      twins.same(sql);
    }
  }

  /** Placement, which one PostgreSQL does not know. */
  private void place(String sql) throws SQLException {
    run(twins.routed(), sql);
  }

  private List<Integer> rowsOfNodes(String table) throws SQLException {
    List<Integer> counts = new ArrayList<>();
    for (LocalNode node : cluster.nodes()) {
      try (Connection direct = node.connectAsSuperuser()) {
        String found = run(direct, "SELECT count(*) FROM " + table).get(0);
        counts.add(Integer.valueOf(found.substring(0, found.length() - 1)));
      }
    }
    return counts;
  }

  private void assertSpread(String table) throws SQLException {
    List<Integer> counts = rowsOfNodes(table);
    assertTrue(counts.stream().allMatch(count -> count > 0), table + " " + counts);
  }

  @ParameterizedTest
  @ValueSource(strings = {"preferQueryMode=simple", "prepareThreshold=-1"})
  void aMigrationCreatesPlacesAndFillsItsTables(String options) throws SQLException {
    connect(options);
    both("BEGIN", YOUNG, "INSERT INTO young (id) VALUES (99)", "SELECT * FROM young");
    place(DISTRIBUTE);
    both(
        "INSERT INTO young VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, NULL), (5, 'e')",
        "INSERT INTO young (id, name) SELECT i, 'n' || i FROM generate_series(6, 30) i",
        "SELECT * FROM young ORDER BY id",
        "SELECT count(*), sum(id) FROM young",
        "SELECT name FROM young WHERE id = 3",
        "UPDATE young SET n = n + 1 WHERE id = 7",
        "UPDATE young SET n = n + 1",
        "DELETE FROM young WHERE id = 8",
        "CREATE TABLE child (id int REFERENCES young, k int, PRIMARY KEY (id, k))");
    place("SELECT create_distributed_table('child', 'id')");
    both("CREATE TABLE code (code text PRIMARY KEY, name text)");
    place("SELECT create_reference_table('code')");
    both(
        "INSERT INTO child SELECT id, 1 FROM young",
        "INSERT INTO code VALUES ('x', 'X'), ('y', 'Y')",
        "SELECT count(*) FROM young JOIN child USING (id) CROSS JOIN code",
        "CREATE INDEX ON young (name)",
        "ALTER TABLE young ADD COLUMN extra int DEFAULT 7",
        "INSERT INTO young (id, extra) VALUES (40, 1), (41, 2), (42, 3)",
        "SELECT sum(extra) FROM young",
        "ALTER TABLE young RENAME TO old",
        "INSERT INTO old (id) VALUES (50), (51), (52)",
        "SELECT count(*) FROM old",
        "SELECT * FROM old WHERE id = 51",
        "COMMIT",
        "SELECT * FROM old ORDER BY id",
        "SELECT * FROM child ORDER BY 1, 2");
    assertSpread("old");
    assertSpread("child");
    assertEquals(List.of(2, 2, 2), rowsOfNodes("code"));
  }

  @Test
  void whatIsTakenBackHasNoPlacementAnyMore() throws SQLException {
    connect("");
    both("BEGIN", YOUNG, "SAVEPOINT s");
    place(DISTRIBUTE);
    both("INSERT INTO young VALUES (1), (2), (3)", "SELECT count(*) FROM young");
    both("ROLLBACK TO s", "INSERT INTO young VALUES (1), (2), (3)");
    place("SELECT create_reference_table('young')"); // The same version as the one taken back.
    both("INSERT INTO young VALUES (4)", "SELECT id FROM young ORDER BY id", "COMMIT");
    assertEquals(List.of(4, 4, 4), rowsOfNodes("young"));

    both(DROP, "BEGIN", YOUNG);
    place(DISTRIBUTE);
    both("INSERT INTO young VALUES (1), (2), (3)", "ROLLBACK", "SELECT * FROM young", YOUNG);
    both("INSERT INTO young VALUES (1), (2), (3)", "SELECT count(*) FROM young");
    assertEquals(List.of(3, 0, 0), rowsOfNodes("young"));

    both("BEGIN", "DROP TABLE young", YOUNG);
    place(DISTRIBUTE);
    both("INSERT INTO young SELECT i FROM generate_series(1, 20) i", "SELECT count(*) FROM young");
    place("SELECT undistribute_table('young')");
    both("INSERT INTO young VALUES (21), (22), (23)", "SELECT count(*) FROM young", "COMMIT");
    assertEquals(List.of(23, 0, 0), rowsOfNodes("young"));

    both("BEGIN");
    place(DISTRIBUTE);
    both("SELECT count(*) FROM young", "UPDATE young SET n = id", "DROP TABLE young", YOUNG);
    both("INSERT INTO young VALUES (1), (2), (3)", "SELECT * FROM young ORDER BY 1", "COMMIT");
    assertEquals(List.of(3, 0, 0), rowsOfNodes("young"));
  }

  @Test
  void anErrorLeavesNothingOfIt() throws SQLException {
    connect("");
    both("BEGIN", YOUNG, "SAVEPOINT s");
    place(DISTRIBUTE);
    both("INSERT INTO young VALUES (1), (2), (2)", "SELECT * FROM young", "ROLLBACK TO s");
    both("INSERT INTO young VALUES (1), (2), (3)", "SELECT * FROM young ORDER BY 1");
    place(DISTRIBUTE);
    both("SELECT * FROM young ORDER BY 1", "SELECT 1 / 0", "COMMIT", "SELECT * FROM young", YOUNG);
    both("INSERT INTO young VALUES (1), (2), (3)");
    assertEquals(List.of(3, 0, 0), rowsOfNodes("young"));
  }

  @Test
  void statementsOfOneMessageSeeEachOther() throws SQLException {
    connect("preferQueryMode=simple");
    String fill =
        "INSERT INTO young SELECT i FROM generate_series(1, 20) i; UPDATE young SET n = id;"
            + " SELECT sum(n) FROM young";
    run(twins.both().get(0), YOUNG + "; " + fill);
    run(twins.routed(), YOUNG + "; " + DISTRIBUTE + "; " + fill);
    both("SELECT * FROM young ORDER BY id");
    assertSpread("young");
    both(DROP);
    assertEquals(
        List.of("22012"),
        answer(twins.routed(), YOUNG + "; " + DISTRIBUTE + "; " + fill + "; SELECT 1 / 0"));
    both(YOUNG, "INSERT INTO young VALUES (1), (2), (3)");
    assertEquals(List.of(3, 0, 0), rowsOfNodes("young"));
  }

  @Test
  void statementsThatAreAlreadyPreparedFollow() throws SQLException {
    connect("prepareThreshold=1");
    Connection routed = twins.routed();
    run(routed, YOUNG);
    String all = "SELECT count(*) FROM young";
    try (PreparedStatement insert = routed.prepareStatement("INSERT INTO young VALUES (?, ?)");
        PreparedStatement select = routed.prepareStatement("SELECT name FROM young WHERE id = ?")) {
      fill(insert, select, 1);
      routed.setAutoCommit(false);
      fill(insert, select, 21);
      place(DISTRIBUTE);
      fill(insert, select, 41);
      assertEquals(List.of("60|"), run(routed, all));
      routed.rollback();
      fill(insert, select, 21);
      assertEquals(List.of("40|"), run(routed, all));
      place(DISTRIBUTE);
      fill(insert, select, 41);
      routed.commit();
      routed.setAutoCommit(true);
      assertEquals(List.of("60|"), run(routed, all));
      fill(insert, select, 61);
    }
    assertSpread("young");
  }

  private static void fill(PreparedStatement insert, PreparedStatement select, int first)
      throws SQLException {
    for (int id = first; id < first + 20; id++) {
      insert.setInt(1, id);
      insert.setString(2, "name " + id);
      insert.addBatch();
    }
    insert.executeBatch();
    for (int id = first; id < first + 20; id++) {
      select.setInt(1, id);
      try (ResultSet row = select.executeQuery()) {
        assertTrue(row.next(), "row " + id);
        assertEquals("name " + id, row.getString(1));
      }
    }
  }

  @Test
  void othersSeeThePlacementWhenItIsCommitted() throws SQLException {
    connect("");
    both("CREATE TABLE old (id int PRIMARY KEY)");
    place("SELECT create_distributed_table('old', 'id')");
    both("INSERT INTO old VALUES (1), (2), (3)");
    try (Connection other = superuser();
        PreparedStatement read = other.prepareStatement("SELECT count(*) FROM old")) {
      run(twins.routed(), "BEGIN");
      run(twins.routed(), YOUNG);
      place(DISTRIBUTE);
      run(twins.routed(), "INSERT INTO young VALUES (1), (2), (3), (4), (5), (6)");
      assertEquals(List.of("6|"), run(twins.routed(), "SELECT count(*) FROM young"));
      assertEquals(List.of("42P01"), answer(other, "SELECT count(*) FROM young"));
      for (int i = 0; i < 6; i++) {
        try (ResultSet row = read.executeQuery()) {
          assertTrue(row.next());
          assertEquals(3, row.getInt(1));
        }
      }
      assertEquals(List.of("count 1"), run(other, "INSERT INTO old VALUES (4)"));
      run(twins.routed(), "COMMIT");
      assertEquals(List.of("6|"), run(other, "SELECT count(*) FROM young"));
      assertEquals(List.of("count 1"), run(other, "INSERT INTO young VALUES (7)"));
    }
  }

  @Test
  void lookupIndexesAndRulesHoldAtOnce() throws SQLException {
    connect("");
    run(twins.routed(), "BEGIN");
    run(twins.routed(), YOUNG);
    place(
        "SELECT create_distributed_table('young', 'id', 'range', rule => 'WHEN id < 10 THEN 0"
            + " WHEN id < 20 THEN 1 ELSE 2')");
    place("SELECT create_lookup_index('young', 'name')");
    run(twins.routed(), "INSERT INTO young VALUES (1, 'a'), (11, 'b'), (21, 'c')");
    assertEquals(List.of("11|"), run(twins.routed(), "SELECT id FROM young WHERE name = 'b'"));
    assertEquals(List.of("23505"), answer(twins.routed(), "INSERT INTO young VALUES (22, 'a')"));
    run(twins.routed(), "ROLLBACK");
    assertEquals(List.of("42P01"), answer(twins.routed(), "SELECT id FROM young"));
  }
}
