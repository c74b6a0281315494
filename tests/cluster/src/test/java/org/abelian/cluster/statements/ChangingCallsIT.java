package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
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

/**
 * Statements that change rows by functions with loops, over rows of several nodes, do what they do
 * on one PostgreSQL.
 */
@WithNode
@WithCluster
class ChangingCallsIT {
  private static final String DROP = "DROP SCHEMA IF EXISTS chg CASCADE";

  private static final List<String> TABLES =
      List.of(
          "CREATE SCHEMA chg",
          "CREATE TABLE chg.d (key int PRIMARY KEY, n bigint, t text)",
          "CREATE TABLE chg.e (a int, b text, v bigint, PRIMARY KEY (a, b))",
          "CREATE TABLE chg.keyless (key int, n bigint)",
          "CREATE FUNCTION chg.looped(x bigint) RETURNS bigint STABLE LANGUAGE plpgsql AS"
              + " 'DECLARE s bigint := 0; r record; BEGIN FOR r IN SELECT * FROM chg.d WHERE key <="
              + " x LOOP s := s + r.n; END LOOP; RETURN s; END'",
          "CREATE FUNCTION chg.calls(x bigint) RETURNS bigint STABLE LANGUAGE plpgsql AS"
              + " 'DECLARE s bigint := 0; BEGIN FOR i IN 1..x LOOP s := s + chg.volatile_one(i);"
              + " END LOOP; RETURN s; END'",
          "CREATE FUNCTION chg.volatile_one(x bigint) RETURNS bigint LANGUAGE plpgsql AS"
              + " 'DECLARE r record; BEGIN FOR r IN SELECT * FROM chg.d WHERE key = x LOOP RETURN"
              + " r.n; END LOOP; RETURN 0; END'");

  private static final List<String> PLACEMENTS =
      List.of(
          "SELECT create_distributed_table('chg.d', 'key')",
          "SELECT create_distributed_table('chg.e', 'a')",
          "SELECT create_distributed_table('chg.keyless', 'key')");

  private static final List<String> ROWS =
      List.of(
          "INSERT INTO chg.d SELECT i, i * 10, 't' || i FROM generate_series(1, 12) i",
          "INSERT INTO chg.e SELECT i, 'b' || j, i + j FROM generate_series(1, 6) i,"
              + " generate_series(1, 2) j",
          "INSERT INTO chg.keyless SELECT i, i FROM generate_series(1, 4) i");

  private final LocalNode single;
  private final LocalCluster cluster;
  private final RouterServer router;
  private Twins twins;

  ChangingCallsIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    twins = new Twins(single, router, "");
    twins.create(DROP, TABLES, PLACEMENTS);
    ROWS.forEach(twins::same);
  }

  @AfterEach
  void drop() throws SQLException {
    try (Twins ends = twins) {
      for (Connection connection : ends.both()) {
        Twins.run(connection, "ROLLBACK");
      }
      ends.same(DROP);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE chg.d SET n = chg.looped(key), t = t || n WHERE chg.looped(key) > 50",
        "UPDATE chg.e SET v = chg.looped(v), b = b || 'x' WHERE a < 4",
        "UPDATE chg.e x SET v = chg.looped(d.key) + x.v FROM chg.d WHERE d.n = x.v * 10",
        "UPDATE chg.d SET key = key + 100, n = chg.looped(3) WHERE chg.looped(key) < 100",
        "WITH big AS (SELECT a FROM chg.e WHERE v > 5) UPDATE chg.d SET n = chg.looped(key) WHERE"
            + " key IN (SELECT a FROM big)",
        "DELETE FROM chg.d WHERE chg.looped(key) BETWEEN 100 AND 400",
        "DELETE FROM chg.e USING chg.d WHERE d.key = e.v AND chg.looped(d.key) > 100",
        "INSERT INTO chg.e SELECT key, 'new', chg.looped(key) FROM chg.d",
        "INSERT INTO chg.d (key, n) SELECT a, chg.looped(a) FROM chg.e ON CONFLICT DO NOTHING",
        "UPDATE chg.e SET v = chg.calls(a)",
        "INSERT INTO chg.d VALUES (50, chg.looped(3)), (51, chg.looped(2) + 1)",
      })
  void rowsChangeByWhatFunctionsGive(String sql) {
    twins.same("BEGIN");
    twins.same("UPDATE chg.d SET n = n + 1 WHERE key IN (2, 7)");
    twins.same(sql);
    sameRows();
    twins.same("ROLLBACK");
    succeeds(sql);
    sameRows();
  }

  /** Not only does it fail alike. */
  private void succeeds(String sql) {
    List<String> answer = Twins.answer(twins.both().get(0), sql);
    assertTrue(answer.get(0).startsWith("count "), answer.toString());
    assertEquals(answer, Twins.answer(twins.routed(), sql), sql);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE chg.made AS SELECT key, chg.looped(key) AS n FROM chg.d",
        "CREATE TABLE chg.made (k, s) AS SELECT a, chg.calls(a) FROM chg.e WHERE v > 4",
        "SELECT key, chg.looped(key) AS n INTO chg.made FROM chg.d",
        "CREATE TEMP TABLE made AS SELECT key, chg.looped(key) AS n FROM chg.d",
        "CREATE TABLE IF NOT EXISTS chg.d AS SELECT key, chg.looped(key) AS n FROM chg.d",
        "CREATE MATERIALIZED VIEW chg.made AS SELECT key, chg.looped(key) AS n FROM chg.d",
      })
  void tablesAreMadeOfWhatFunctionsGive(String sql) {
    String found = "SELECT * FROM made";
    twins.same("SET search_path = pg_temp, chg");
    twins.same("BEGIN");
    twins.same("UPDATE chg.d SET n = n + 1 WHERE key IN (2, 7)");
    twins.same(sql);
    twins.sameUnordered(found);
    twins.same("ROLLBACK");
    succeeds(sql);
    twins.sameUnordered(found);
    twins.same("RESET search_path");
    sameRows();
  }

  @Test
  void materializedViewsAreRefreshedByWhatFunctionsGive() {
    succeeds(
        "CREATE MATERIALIZED VIEW chg.v AS SELECT key, chg.looped(key) AS n FROM chg.d WITH NO"
            + " DATA");
    succeeds("CREATE UNIQUE INDEX ON chg.v (key)");
    for (String way : List.of("", "CONCURRENTLY ")) {
      succeeds("REFRESH MATERIALIZED VIEW " + way + "chg.v");
      twins.sameUnordered("SELECT * FROM chg.v");
      succeeds("UPDATE chg.d SET n = n + 1 WHERE key < 5");
    }
    twins.sameUnordered("SELECT * FROM chg.v");
  }

  /** What such a function gives for a row would depend on the rows that were changed before it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE chg.d SET n = chg.volatile_one(key + 1)",
        "UPDATE chg.d SET n = chg.calls(key)",
        "DELETE FROM chg.d WHERE chg.calls(key) > 30",
        "INSERT INTO chg.d SELECT key + 50, chg.volatile_one(key + 49) FROM chg.d",
        "UPDATE chg.keyless SET n = chg.looped(key)",
        "UPDATE chg.d SET n = 0 WHERE key = 3 RETURNING chg.volatile_one(key)",
        "INSERT INTO chg.d VALUES (50, chg.volatile_one(3))",
      })
  void whatOneNodeCouldDoOtherwiseIsRefused(String sql) {
    assertEquals(List.of("0A000"), Twins.answer(twins.routed(), sql));
    sameRows();
  }

  /** A row that was waited for changes by what it has then, or not at all. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE chg.e SET v = v + 1000 WHERE a = 3",
        "DELETE FROM chg.e WHERE a = 3",
        "UPDATE chg.e SET v = 0 WHERE a = 3",
      })
  void rowsAreLookedAtAgainAfterAWait(String change) throws Exception {
    String sql = "UPDATE chg.e SET v = v + chg.looped(a) WHERE v > 0 AND chg.looped(a) > 30";
    List<List<String>> answers = new ArrayList<>();
    try (Twins others = new Twins(single, router, "")) {
      for (int at = 0; at < 2; at++) {
        Connection first = others.both().get(at);
        List<LocalNode> nodes = at == 0 ? List.of(single) : cluster.nodes();
        answers.add(Twins.meet(first, change, twins.both().get(at), sql, nodes, "chg"));
      }
    }
    assertEquals(answers.get(0), answers.get(1));
    sameRows();
  }

  @Test
  void parametersAreGivenToBothSteps() throws SQLException {
    String sql = "UPDATE chg.d SET n = chg.looped(?) + ? WHERE key < ?";
    for (Connection connection : twins.both()) {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        for (int i = 0; i < 7; i++) {
          statement.setLong(1, i);
          statement.setLong(2, 100 - i);
          statement.setInt(3, i);
          statement.executeUpdate();
        }
      }
    }
    sameRows();
  }

  private void sameRows() {
    for (String table : List.of("chg.d", "chg.e", "chg.keyless")) {
      twins.sameUnordered("SELECT * FROM " + table);
    }
  }
}
