package org.abelian.cluster.statements;

import static org.abelian.cluster.statements.Twins.answer;
import static org.abelian.cluster.statements.Twins.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** INSERT ... SELECT whose rows change their nodes inserts what it does on one PostgreSQL. */
@WithNode
@WithCluster
class InsertSelectIT {
  private static final String DROP =
      "DROP TABLE IF EXISTS source, target, kinds, numbered, named, country, plain, page CASCADE";

  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE source (id int PRIMARY KEY, owner int, name text, amount numeric(10,2))",
          "CREATE TABLE target (owner bigint, id int, name varchar(12), amount numeric, note text"
              + " DEFAULT 'none', PRIMARY KEY (owner, id))",
          "CREATE TABLE kinds (k text PRIMARY KEY, a int[], j jsonb, t timestamptz, b bytea, d"
              + " date, f float8, n text[])",
          "CREATE TABLE numbered (id bigserial PRIMARY KEY, name text)",
          "CREATE TABLE named (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text)",
          "CREATE TABLE country (id int PRIMARY KEY, name text)",
          "CREATE TABLE plain (id int, name text)",
          "CREATE TABLE page (id int PRIMARY KEY, likes abelian.counter DEFAULT 0)");

  private static final List<String> PLACEMENTS =
      List.of(
          "SELECT create_distributed_table('source', 'id')",
          "SELECT create_distributed_table('target', 'owner')",
          "SELECT create_distributed_table('kinds', 'k')",
          "SELECT create_distributed_table('numbered', 'id')",
          "SELECT create_distributed_table('named', 'id')",
          "SELECT create_reference_table('country')",
          "SELECT create_distributed_table('page', 'id')");

  private final LocalNode single;
  private final LocalCluster cluster;
  private final RouterServer router;
  private Twins twins;

  InsertSelectIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    connect("");
    twins.create(DROP, TABLES, PLACEMENTS);
    both(
        "INSERT INTO source SELECT i, i % 7, 'name ' || i, i * 1.25 FROM generate_series(1, 60) i");
  }

  @AfterEach
  void close() throws SQLException {
    twins.close();
    connect("");
    both(DROP);
    twins.close();
  }

  private void connect(String options) throws SQLException {
    twins = new Twins(single, router, options);
  }

  private void both(String sql) {
    twins.same(sql);
  }

  private void sameRows(String... tables) {
    for (String table : tables) {
      both("SELECT * FROM " + table + " ORDER BY 1, 2");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"preferQueryMode=simple", "prepareThreshold=0", "prepareThreshold=-1"})
  void rowsGoWhereTheirKeysSay(String options) throws SQLException {
    twins.close();
    connect(options);
    both("INSERT INTO target (owner, id, name, amount) SELECT owner, id, name, amount FROM source");
    both("SELECT count(*), sum(amount), count(DISTINCT note) FROM target");
    both("INSERT INTO target SELECT owner, id, name, amount FROM source");
    both("INSERT INTO target SELECT owner, id FROM source ON CONFLICT DO NOTHING");
    both(
        "INSERT INTO target (id, owner, amount) SELECT id, owner, 1 FROM source WHERE id < 9 ON"
            + " CONFLICT (owner, id) DO UPDATE SET amount = target.amount + excluded.amount");
    both(
        "INSERT INTO target (owner, id, name) SELECT owner + 100, count(*), min(name) FROM source"
            + " GROUP BY owner HAVING count(*) > 8");
    both("INSERT INTO target (owner, id) SELECT 200, id FROM source ORDER BY amount DESC LIMIT 3");
    both("INSERT INTO target (owner, id) SELECT DISTINCT 300, owner FROM source");
    both("INSERT INTO target (owner, id, name) SELECT i, i, 'x' FROM generate_series(400, 420) i");
    both("INSERT INTO target (owner, id) SELECT i, i FROM generate_series(1, 0) i");
    both("INSERT INTO target (owner, id) SELECT NULL, id FROM source");
    both("INSERT INTO target (owner, id, name) SELECT 1, 500, repeat('long', 9)");
    both("INSERT INTO target (owner, id) SELECT owner, 'x' FROM source");
    both(
        "INSERT INTO target (owner, id) SELECT i, i FROM generate_series(500, 505) i RETURNING"
            + " owner, id, note");
    both("INSERT INTO target (owner, id) SELECT owner, id + 1000 FROM target WHERE owner = 3");
    both("INSERT INTO plain SELECT id, name FROM source WHERE id = 5");
    both("INSERT INTO target (owner, id, name) SELECT id, 600, name FROM plain");
    both("INSERT INTO country SELECT id, name FROM source WHERE id % 10 = 0");
    both("INSERT INTO target (owner, id, name) SELECT id, 700, name FROM country");
    both("INSERT INTO page (id, likes) SELECT id, owner FROM source");
    both("INSERT INTO page (id, likes) SELECT id + 100, likes FROM page");
    sameRows("target", "country");
    both("SELECT * FROM page ORDER BY id");
    for (LocalNode node : cluster.nodes()) {
      try (Connection direct = node.connectAsSuperuser()) {
        assertEquals(6, run(direct, "SELECT * FROM country").size());
      }
    }
  }

  @Test
  void valuesOfAllTypesArriveAsTheyWere() {
    both(
        "INSERT INTO kinds SELECT 'k' || i, ARRAY[i, NULL, i + 1], jsonb_build_object('a',"
            + " '{\"q\"}'), timestamptz '2026-01-01 00:00:00.123456+00' + i * interval '1 hour',"
            + " decode(lpad(to_hex(i), 4, '0'), 'hex'), date '2026-02-27' + i, i / 3.0::float8,"
            + " ARRAY['a,b', NULL, '\"', '\\', '{}', ''] FROM generate_series(1, 20) i");
    both("INSERT INTO kinds (k, n) SELECT 'twice ' || k, n || k FROM kinds");
    sameRows("kinds");
  }

  @Test
  void numbersAreDrawnForRowsThatBringNone() {
    both("INSERT INTO numbered (name) SELECT name FROM source WHERE id <= 9 ORDER BY id");
    both("INSERT INTO numbered (name) SELECT 'x' FROM generate_series(1, 5) RETURNING id");
    both(
        "INSERT INTO named (name) SELECT 'y' || i FROM generate_series(1, 5) i RETURNING id, name");
    both("INSERT INTO numbered (name) SELECT 'z' WHERE false");
    both("INSERT INTO numbered (name) VALUES ('last') RETURNING id");
    sameRows("numbered", "named");
  }

  @Test
  void parametersGoToBothStatements() throws SQLException {
    String sql =
        "INSERT INTO target (owner, id, name) SELECT owner + ?, id, ? FROM source WHERE id > ? ON"
            + " CONFLICT (owner, id) DO UPDATE SET name = ? RETURNING owner, id, name";
    List<List<String>> answers = new ArrayList<>();
    for (Connection connection : twins.both()) {
      List<String> rows = new ArrayList<>();
      try (PreparedStatement insert = connection.prepareStatement(sql)) {
        for (int i = 0; i < 7; i++) {
          insert.setInt(1, 10);
          insert.setString(2, "n" + i);
          insert.setInt(3, 50 - i);
          insert.setString(4, "again" + i);
          ResultSet result = insert.executeQuery();
          while (result.next()) {
            rows.add(result.getInt(1) + " " + result.getInt(2) + " " + result.getString(3));
          }
        }
      }
      answers.add(rows.stream().sorted().toList());
    }
    assertEquals(answers.get(0), answers.get(1));
    sameRows("target");
  }

  @Test
  void itIsPartOfItsTransaction() throws SQLException {
    both("BEGIN");
    both("INSERT INTO target (owner, id) SELECT owner, id FROM source");
    both("SAVEPOINT s");
    both("INSERT INTO target (owner, id) SELECT owner, id FROM source");
    both("ROLLBACK TO s");
    both("INSERT INTO target (owner, id) SELECT owner, id + 100 FROM target");
    both("SELECT count(*) FROM target");
    both("ROLLBACK");
    both("SELECT count(*) FROM target");
    // One row of many is refused: none stays.
    both("INSERT INTO target (owner, id) VALUES (6, 48)");
    both("INSERT INTO target (owner, id) SELECT owner, id FROM source");
    both("SELECT count(*) FROM target");
    sameRows("target");
    both("TRUNCATE target");
    both(
        "INSERT INTO target (owner, id) SELECT a.owner, b.id FROM source a JOIN source b ON a.owner"
            + " = b.owner FOR UPDATE");
    both(
        "INSERT INTO target (owner, id) SELECT DISTINCT a.owner, b.id FROM source a JOIN source b"
            + " ON a.owner = b.owner");
    both(
        "INSERT INTO target (owner, id) SELECT a.owner, b.id + 700 FROM source a JOIN source b ON"
            + " a.id = b.id + 1 FOR UPDATE OF a");
    sameRows("target");
  }

  @Test
  void partsOfColumnsAreAssignedAsEver() {
    both("DROP TYPE IF EXISTS part CASCADE");
    both("CREATE TYPE part AS (a int, b text[])");
    both("ALTER TABLE plain ADD COLUMN p part, ADD COLUMN q int[]");
    both("INSERT INTO plain (p.a, p.b) SELECT 3, '{baz,quux}'");
    both("INSERT INTO plain (q[1], q[2]) SELECT 4, 5");
    sameRows("plain");
    both("DROP TYPE part CASCADE");
  }

  @Test
  void whatCannotBeGatheredIsRefused() {
    for (String sql :
        List.of(
            "INSERT INTO target (owner, id) SELECT owner, id FROM source ON CONFLICT (owner, id) DO"
                + " UPDATE SET owner = 5")) {
      assertEquals(List.of("0A000"), answer(twins.routed(), sql), sql);
    }
    String huge =
        "INSERT INTO target (owner, id, note) SELECT i, i, repeat('x', 1000000) FROM"
            + " generate_series(1, 100) i";
    assertEquals(List.of("54000"), answer(twins.routed(), huge));
    assertTrue(answer(twins.routed(), "SELECT count(*) FROM target").contains("0|"));
  }
}
