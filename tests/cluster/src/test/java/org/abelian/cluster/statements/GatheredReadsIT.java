package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** Reads that need rows of one node beside those of another answer as on one PostgreSQL. */
@WithNode
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GatheredReadsIT {
  private static final String DROP =
      "DROP VIEW IF EXISTS rich; DROP TABLE IF EXISTS customer, purchase, parcel, region, stall,"
          + " page CASCADE";

  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE customer (id int PRIMARY KEY, gone text, region char(4), name varchar(20),"
              + " balance numeric(10,2), tags text[], about jsonb, born date, area int4range)",
          "ALTER TABLE customer DROP COLUMN gone",
          "ALTER TABLE customer ADD one int, ADD two int, ADD three int, ADD four int",
          "ALTER TABLE customer DROP one, DROP two, DROP three, DROP four",
          "CREATE TABLE purchase (id bigint PRIMARY KEY, customer int, total numeric(8,2), at"
              + " timestamptz)",
          "CREATE TABLE parcel (id uuid PRIMARY KEY, purchase bigint, weight float8, data bytea)",
          "CREATE TABLE region (code char(4) PRIMARY KEY, name text)",
          "CREATE TABLE stall (region char(4), owner text)",
          "CREATE TABLE page (id int PRIMARY KEY, owner int, likes abelian.counter DEFAULT 0)",
          "CREATE VIEW rich AS SELECT id, name, balance FROM customer WHERE balance > 50");

  private static final List<String> PLACEMENTS =
      List.of(
          "SELECT create_distributed_table('customer', 'id')",
          "SELECT create_distributed_table('purchase', 'id', colocate_with => 'none')",
          "SELECT create_distributed_table('parcel', 'id')",
          "SELECT create_reference_table('region')",
          "SELECT create_distributed_table('page', 'id')");

  private static final List<String> ROWS =
      List.of(
          "INSERT INTO customer SELECT i, 'r' || i % 3, 'name ' || i, i * 7.25, ARRAY['t' || i %"
              + " 2, NULL, 'a\"b\\'], jsonb_build_object('i', i), date '2026-01-01' + i,"
              + " int4range(i, i + 3) FROM generate_series(1, 20) i",
          "INSERT INTO customer (id, region, name) VALUES (21, NULL, NULL), (22, 'r9', '')",
          "INSERT INTO purchase SELECT i, i % 25, i * 1.5, timestamptz '2026-01-01 00:00+00' + i *"
              + " interval '1 hour' FROM generate_series(1, 60) i",
          "INSERT INTO parcel SELECT md5(i::text)::uuid, i * 2, i / 3.0, decode(md5(i::text),"
              + " 'hex') FROM generate_series(1, 30) i",
          "INSERT INTO region SELECT 'r' || i, 'region ' || i FROM generate_series(0, 4) i",
          "INSERT INTO stall VALUES ('r0', 'ann'), ('r2', 'bob'), (NULL, 'eve')",
          "INSERT INTO page SELECT i, i % 4, i * 10 FROM generate_series(1, 12) i");

  private final TwinTables tables;
  private Twins twins;

  /** The test leaves the tables as they were made. */
  private boolean keeps;

  GatheredReadsIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    tables = new TwinTables(single, router, GatheredReadsIT::make, DROP);
  }

  private static void make(Twins twins) throws SQLException {
    TABLES.forEach(twins::same);
    for (String placement : PLACEMENTS) {
      Twins.run(twins.routed(), placement);
    }
    ROWS.forEach(twins::same);
  }

  @BeforeEach
  void open() throws SQLException {
    twins = tables.open();
    keeps = false;
  }

  @AfterEach
  void close() throws SQLException {
    tables.close(twins, keeps);
  }

  @AfterAll
  void remove() throws SQLException {
    tables.remove();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT c.name, p.total FROM customer c JOIN purchase p ON p.customer = c.id WHERE"
            + " c.balance > 20 AND p.total < 40 ORDER BY 1, 2",
        "SELECT c.*, p.* FROM customer c LEFT JOIN purchase p ON p.customer = c.id AND p.total > 30"
            + " ORDER BY c.id, p.id",
        "SELECT c.id, p.id FROM customer c FULL JOIN purchase p ON p.customer = c.id ORDER BY 1, 2",
        "SELECT a.id, b.id FROM customer a JOIN customer b ON a.region = b.region AND a.id < b.id"
            + " ORDER BY 1, 2",
        "SELECT count(*) FROM customer, purchase, parcel",
        "SELECT * FROM (customer c LEFT JOIN purchase p ON p.customer = c.id) AS j (a, b) ORDER BY"
            + " 1, 9",
        "SELECT a, j.total, k.weight FROM ((customer c JOIN purchase p ON p.customer = c.id) AS j"
            + " (a) LEFT JOIN parcel ON parcel.purchase = a) AS k ORDER BY 1, 2, 3",
        "SELECT id, name FROM customer ORDER BY name LIMIT 3",
        "SELECT id, total FROM purchase NATURAL JOIN (SELECT id, name FROM customer) c ORDER BY 1",
        "SELECT name FROM customer JOIN stall USING (region) JOIN region r ON r.code = region ORDER"
            + " BY 1",
        "SELECT r.name, count(p.id), sum(p.total) FROM region r LEFT JOIN customer c ON c.region ="
            + " r.code LEFT JOIN purchase p ON p.customer = c.id GROUP BY r.code ORDER BY 1",
        "SELECT c.id, c.name, c.balance, count(*) FROM customer c JOIN purchase p ON p.customer ="
            + " c.id GROUP BY c.id HAVING count(*) > 1 ORDER BY c.name",
        "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM purchase p WHERE p.customer = c.id"
            + " AND p.total > 60) ORDER BY 1",
        "SELECT id FROM customer WHERE id NOT IN (SELECT customer FROM purchase WHERE customer IS"
            + " NOT NULL) ORDER BY 1",
        "SELECT id, (SELECT max(total) FROM purchase p WHERE p.customer = c.id) FROM customer c"
            + " ORDER BY 1",
        "SELECT id FROM purchase WHERE total = (SELECT max(total) FROM purchase)",
        "SELECT id FROM purchase ORDER BY id LIMIT (SELECT count(*) FROM region)",
        "SELECT c.id, t.id FROM customer c, LATERAL (SELECT id FROM purchase p WHERE p.customer ="
            + " c.id ORDER BY total DESC LIMIT 1) t ORDER BY 1",
        "SELECT id FROM customer UNION SELECT customer FROM purchase ORDER BY 1",
        "SELECT id FROM customer INTERSECT SELECT customer FROM purchase ORDER BY 1",
        "SELECT id::bigint FROM customer EXCEPT ALL SELECT id FROM purchase ORDER BY 1",
        "SELECT name, 'c' FROM customer UNION ALL SELECT owner, 's' FROM stall ORDER BY 1, 2",
        "WITH big AS (SELECT * FROM purchase WHERE total > 50) SELECT c.name, b.total FROM big b"
            + " JOIN customer c ON c.id = b.customer ORDER BY 1, 2",
        "WITH RECURSIVE chain(id, depth) AS (SELECT id, 1 FROM customer WHERE id = 1 UNION ALL"
            + " SELECT c.id, depth + 1 FROM chain JOIN customer c ON c.id = chain.id + 3) SELECT *"
            + " FROM chain ORDER BY 1",
        "SELECT DISTINCT ON (c.region) c.region, p.total FROM customer c JOIN purchase p ON"
            + " p.customer = c.id ORDER BY c.region, p.total DESC",
        "SELECT c.region, p.customer, sum(total), rank() OVER (PARTITION BY c.region ORDER BY"
            + " sum(total)) FROM customer c JOIN purchase p ON p.customer = c.id GROUP BY ROLLUP"
            + " (1, 2) ORDER BY 1, 2, 4",
        "SELECT c.region, string_agg(p.id::text, ',' ORDER BY p.id), percentile_cont(0.5) WITHIN"
            + " GROUP (ORDER BY p.total) FROM customer c JOIN purchase p ON p.customer = c.id GROUP"
            + " BY 1 ORDER BY 1",
        "SELECT c.tags, c.about, c.born, c.area, d.data, d.weight, d.id, p.at FROM customer c JOIN"
            + " purchase p ON p.customer = c.id JOIN parcel d ON d.purchase = p.id ORDER BY d.id",
        "SELECT length(c.region), c.region || '|', p.id FROM customer c JOIN purchase p ON"
            + " p.customer = c.id WHERE c.region = 'r1' ORDER BY 3",
        "SELECT p.id, g.owner, g.likes FROM purchase p JOIN page g ON g.owner = p.customer WHERE"
            + " g.likes > 30 ORDER BY 1, 3",
        "SELECT sum(g.likes) FROM page g JOIN customer c ON c.id = g.owner",
        "SELECT r.name, p.id FROM rich r JOIN purchase p ON p.customer = r.id ORDER BY 2",
        "SELECT row_to_json(s) FROM stall s JOIN customer c ON c.region = s.region WHERE c.id < 4"
            + " ORDER BY 1::text",
        "SELECT count(p), count(*) FROM customer c LEFT JOIN purchase p ON p.customer = c.id",
        "SELECT x.a, c.id FROM (VALUES (1, 2), (3, 4)) AS x(a, b) JOIN purchase p ON p.id = x.b"
            + " JOIN customer c ON c.id = p.customer ORDER BY 1",
        "SELECT id FROM purchase TABLESAMPLE BERNOULLI (100) WHERE customer IN (SELECT id FROM"
            + " customer) ORDER BY 1",
        "SELECT id FROM customer WHERE id = ANY (SELECT customer FROM purchase) ORDER BY id FETCH"
            + " FIRST 3 ROWS WITH TIES",
        "SELECT 1 / (c.id - 3) FROM customer c JOIN purchase p ON p.customer = c.id",
        "SELECT nothing FROM customer c JOIN purchase p ON p.customer = c.id",
        "SELECT * FROM customer c, purchase p WHERE c.id = p.customer AND p.customer = 5 ORDER BY"
            + " p.id",
        "SELECT c.id, p.id, g.id FROM customer c JOIN purchase p ON p.customer = c.id LEFT JOIN"
            + " page g ON g.owner = c.id WHERE c.id = 3 ORDER BY 1, 2, 3",
        "SELECT c.id, p.id FROM customer c LEFT JOIN purchase p ON p.customer = c.id AND"
            + " p.customer = 5 ORDER BY 1, 2",
        "SELECT c.id, p.id FROM customer c FULL JOIN purchase p ON p.customer = c.id AND c.id = 5"
            + " ORDER BY 1, 2",
      })
  void aReadAnswersAsOnOnePostgreSql(String sql) throws SQLException {
    keeps = true;
    twins.same(sql);
    List<Connection> both = twins.both();
    assertEquals(columns(both.get(0), sql), columns(both.get(1), sql), sql);
  }

  /** Names and types of the columns, as clients are told. */
  private static List<String> columns(Connection connection, String sql) {
    List<String> columns = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      ResultSetMetaData data = statement.getMetaData();
      for (int i = 1; i <= data.getColumnCount(); i++) {
        columns.add(
            data.getColumnName(i) + " " + data.getColumnTypeName(i) + " " + data.getPrecision(i));
      }
    } catch (SQLException refused) {
      columns.add(refused.getSQLState());
    }
    return columns;
  }

  @Test
  void aValueOfOneColumnBoundsWhatComesOfAnother() throws SQLException {
    String plan =
        Twins.run(
                twins.routed(),
                "EXPLAIN (COSTS OFF) SELECT c.name, p.total FROM customer c, purchase p WHERE c.id"
                    + " = p.customer AND p.customer = 5")
            .toString();
    assertTrue(plan.contains("Run: gather"), plan);
    assertTrue(plan.contains("(customer = 5)") && plan.contains("(id = 5)"), plan);
  }

  /** A domain's constraints need not hold for NULLs of outer joins, nor for what is older. */
  @Test
  void valuesOfDomainsAreNotTestedWhenTheyAreRead() throws SQLException {
    twins.same("CREATE DOMAIN label AS varchar(9) NOT NULL");
    twins.same("CREATE DOMAIN age AS int");
    String means = "CREATE FUNCTION means(%1$s) RETURNS text IMMUTABLE RETURN '%1$s'";
    twins.same(means.formatted("label"));
    twins.same(means.formatted("varchar"));
    twins.same("CREATE TABLE left_part (a int PRIMARY KEY, b age)");
    twins.same("CREATE TABLE right_part (a int PRIMARY KEY, d label)");
    Twins.run(twins.routed(), "SELECT create_distributed_table('left_part', 'a')");
    Twins.run(twins.routed(), "SELECT create_distributed_table('right_part', 'a')");
    twins.same("INSERT INTO left_part SELECT g, 3 - g FROM generate_series(1, 6) g");
    twins.same("INSERT INTO right_part SELECT g, 'x' || g FROM generate_series(1, 9, 2) g");
    twins.same("ALTER DOMAIN age ADD CONSTRAINT positive CHECK (value >= 0) NOT VALID");
    for (String sql :
        List.of(
            "SELECT l.a, d FROM left_part l LEFT JOIN right_part r ON l.a = r.a + 1",
            "SELECT l.a, d FROM left_part l LEFT JOIN right_part r ON l.a = r.a + 1 ORDER BY 1",
            "SELECT l.a, d FROM left_part l LEFT JOIN right_part r USING (a) ORDER BY 1",
            "SELECT l.a, max(d) FROM left_part l LEFT JOIN right_part r ON l.a = r.a + 1 GROUP BY"
                + " l.a",
            "WITH u AS (UPDATE left_part SET b = 3 - a WHERE a < 3 RETURNING a) SELECT u.a, d FROM"
                + " u LEFT JOIN right_part r ON r.a = u.a + 1",
            "SELECT * FROM left_part ORDER BY 1",
            "SELECT * FROM left_part ORDER BY b LIMIT 2",
            "SELECT b, count(*) FROM left_part GROUP BY b",
            "SELECT DISTINCT b FROM left_part",
            "SELECT means(d), count(*) FROM right_part GROUP BY d",
            "SELECT d FROM right_part GROUP BY d HAVING means(d) = 'label'",
            "SELECT pg_typeof(d), count(*) OVER (ORDER BY a) FROM right_part",
            "SELECT array_agg(d ORDER BY d) FROM right_part",
            "SELECT l.a, count(d) FROM left_part l LEFT JOIN right_part r ON l.a = r.a + 1 GROUP"
                + " BY l.a",
            "SELECT l.b, r.d || l.a FROM left_part l, right_part r WHERE l.b = 3 - r.a",
            "SELECT * FROM (SELECT d, b FROM left_part l FULL JOIN right_part r ON l.b = r.a) j")) {
      twins.sameUnordered(sql);
    }
    twins.same("DROP TABLE left_part, right_part");
    twins.same("DROP FUNCTION means(label), means(varchar)");
    twins.same("DROP DOMAIN label, age");
  }

  /** As SQL is written, columns that are the same expression are one. */
  @Test
  void groupingSetsOverEqualColumnsAreRefused() throws SQLException {
    String sets = "SELECT owner AS x, owner AS y, count(*) FROM page %s GROUP BY %s";
    for (String sql :
        List.of(
            sets.formatted("WHERE id = 3", "GROUPING SETS ((x), (y))"),
            sets.formatted("", "GROUPING SETS ((x), (owner))"),
            sets.formatted("", "ROLLUP (1), 2"))) {
      List<String> routed = Twins.answer(twins.routed(), sql);
      if (!routed.equals(List.of("0A000"))) {
        twins.sameUnordered(sql);
      }
    }
    assertEquals(
        List.of("0A000"),
        Twins.answer(twins.routed(), sets.formatted("", "GROUPING SETS ((1), (2))")));
  }

  @Test
  void parametersAreGivenToEveryPart() throws SQLException {
    String sql =
        "SELECT c.name, p.total FROM customer c JOIN purchase p ON p.customer = c.id WHERE"
            + " c.balance > ? AND p.total < ? AND c.name LIKE ? ORDER BY 1, 2 LIMIT ?";
    List<List<String>> answers = new ArrayList<>();
    for (Connection connection : twins.both()) {
      List<String> rows = new ArrayList<>();
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        for (int i = 0; i < 8; i++) {
          statement.setInt(1, 10 * i);
          statement.setInt(2, 80 - i);
          statement.setString(3, "name 1%");
          statement.setInt(4, 5);
          try (ResultSet found = statement.executeQuery()) {
            Twins.add(found, rows);
          }
        }
      }
      answers.add(rows);
    }
    assertTrue(answers.get(0).size() > 20, "nothing was found");
    assertEquals(answers.get(0), answers.get(1));
  }

  @Test
  void aTransactionReadsWhatItHasWritten() {
    String join =
        "SELECT c.name, p.total FROM customer c JOIN purchase p ON p.customer = c.id WHERE c.id >"
            + " 18 ORDER BY 1, 2";
    for (String sql :
        List.of(
            "BEGIN",
            "UPDATE customer SET name = 'other ' || id WHERE id > 18",
            "DELETE FROM purchase WHERE customer = 20",
            "INSERT INTO purchase VALUES (1000, 19, 1, NULL), (1001, 19, 2, NULL)",
            join,
            "SAVEPOINT s",
            "UPDATE purchase SET total = 0",
            join,
            "ROLLBACK TO s",
            join,
            "COMMIT",
            join)) {
      twins.same(sql);
    }
  }

  @Test
  void rowsOfATemporaryTableTakePart() {
    twins.same("CREATE TEMPORARY TABLE wanted (id int)");
    twins.same("INSERT INTO wanted VALUES (3), (5), (99)");
    twins.same(
        "SELECT c.name, p.id FROM wanted w JOIN customer c USING (id) LEFT JOIN purchase p ON"
            + " p.customer = c.id ORDER BY 1, 2");
    twins.same("DROP TABLE wanted");
  }

  @Test
  void valuesOfUsersTypesAreKept() throws SQLException {
    List<String> types =
        List.of(
            "CREATE DOMAIN positive AS int NOT NULL CHECK (VALUE > 0)",
            "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')",
            "CREATE TYPE pair AS (a int, b text)",
            "CREATE TABLE visitor (id int PRIMARY KEY, steps positive, mood mood, pair pair, pairs"
                + " pair[], said text COLLATE \"C\")");
    types.forEach(twins::same);
    Twins.run(twins.routed(), "SELECT create_distributed_table('visitor', 'id')");
    for (String sql :
        List.of(
            "INSERT INTO visitor SELECT i, i, (enum_range(NULL::mood))[i % 3 + 1], (i,"
                + " 'x,\"y')::pair, ARRAY[(i, NULL)::pair, NULL], chr(60 + i * 3) FROM"
                + " generate_series(1, 20) i",
            "SELECT v.*, p.id FROM visitor v LEFT JOIN purchase p ON p.customer = v.steps ORDER BY"
                + " v.mood DESC, v.id, p.id",
            "SELECT v.id, v.said, c.name FROM visitor v JOIN customer c ON c.id = v.steps ORDER BY"
                + " v.said, c.name",
            "SELECT a.id, (b.pair).b, b.pairs[1] FROM visitor a JOIN visitor b ON a.mood > b.mood"
                + " AND (a.pair).a = (b.pair).a + 1 ORDER BY 1",
            "DROP TABLE visitor",
            "DROP TYPE pair, mood",
            "DROP DOMAIN positive")) {
      twins.same(sql);
    }
  }

  @Test
  void aCursorACopyAndAPlanAreOfTheSameRead() throws Exception {
    String join =
        "SELECT c.id, p.total FROM customer c JOIN purchase p ON p.customer = c.id ORDER BY 1, 2";
    for (String sql :
        List.of(
            "BEGIN",
            "DECLARE joined CURSOR FOR " + join,
            "FETCH 3 FROM joined",
            "FETCH ALL FROM joined",
            "CLOSE joined",
            "PREPARE again(int) AS SELECT count(*) FROM (" + join + ") j WHERE id < $1",
            "EXECUTE again(7)",
            "COMMIT",
            "EXECUTE again(9)",
            "DEALLOCATE again")) {
      twins.same(sql);
    }
    List<String> copies = new ArrayList<>();
    for (Connection connection : twins.both()) {
      StringWriter rows = new StringWriter();
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyOut("COPY (" + join + ") TO STDOUT", rows);
      copies.add(rows.toString());
    }
    assertEquals(copies.get(0), copies.get(1));
    String plan = Twins.run(twins.routed(), "EXPLAIN (ANALYZE, COSTS OFF) " + join).toString();
    assertTrue(plan.contains("Run: gather") && plan.contains("Seq Scan on customer"), plan);
  }

  @Test
  void rowsMayGoOnToAnotherTable() {
    twins.same(
        "INSERT INTO page (id, owner) SELECT 100 + p.id, c.id FROM customer c JOIN purchase p ON"
            + " p.customer = c.id WHERE c.id < 4");
    twins.same("SELECT * FROM page ORDER BY id");
  }

  @Test
  void aRoleSeesTheRowsThatPoliciesShowIt() throws SQLException {
    for (String sql :
        List.of(
            "DROP ROLE IF EXISTS clerk",
            "CREATE ROLE clerk",
            "GRANT SELECT ON customer TO clerk",
            "GRANT SELECT (id, customer) ON purchase TO clerk",
            "ALTER TABLE customer ENABLE ROW LEVEL SECURITY",
            "CREATE POLICY few ON customer USING (id < 5)",
            "SET ROLE clerk",
            "SELECT c.id, p.id FROM customer c JOIN purchase p ON p.customer = c.id ORDER BY 1, 2",
            "SELECT c.id, p.total FROM customer c JOIN purchase p ON p.customer = c.id",
            "RESET ROLE",
            "DROP POLICY few ON customer",
            "REVOKE ALL ON customer, purchase FROM clerk",
            "DROP ROLE clerk")) {
      twins.same(sql);
    }
  }

  @Test
  void tooManyRowsAreAnError() throws SQLException {
    for (int part = 0; part < 3; part++) {
      Twins.run(
          twins.routed(),
          "INSERT INTO parcel SELECT gen_random_uuid(), i, 1, decode(repeat('ab', 20000), 'hex')"
              + " FROM generate_series(1, 700) i");
    }
    Twins.run(twins.routed(), "SET abelian.plan_exchanges = off"); // A broadcast would do.
    assertEquals(
        List.of("54000"),
        Twins.answer(
            twins.routed(),
            "SELECT max(p.id), max(d.data::text) FROM purchase p JOIN parcel d ON d.purchase ="
                + " p.id"));
    twins.same("SELECT count(*) FROM customer c JOIN purchase p ON p.customer = c.id");
  }

  @Test
  void theSessionSaysHowMuchMayBeGathered() throws SQLException {
    String join = "SELECT count(*) FROM customer c JOIN purchase p ON p.customer = c.id";
    Twins.run(twins.routed(), "SET abelian.plan_exchanges = off");
    Twins.run(twins.routed(), "SET abelian.max_exchange_bytes = '200B'");
    SQLException error = assertThrows(SQLException.class, () -> Twins.run(twins.routed(), join));
    assertEquals("54000", error.getSQLState());
    assertTrue(error.getMessage().contains("abelian.max_exchange_bytes"), error.getMessage());
    assertTrue(error.getMessage().contains("200 bytes"), error.getMessage());
    Twins.run(twins.routed(), "SET abelian.max_exchange_bytes = '1MB'");
    twins.same(join);
  }
}
