package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
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
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Keys of texts that are equal as values of another type, or for another collation, lie on
 * different nodes all the same: statements that compare them so answer as on one PostgreSQL.
 */
@WithNode
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OtherEqualitiesIT {
  private static final String DROP =
      "DROP TABLE IF EXISTS word, other, code CASCADE; DROP PROCEDURE IF EXISTS copy_code; DROP"
          + " COLLATION IF EXISTS caseless";

  private final TwinTables tables;
  private Twins twins;
  private boolean kept;

  OtherEqualitiesIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    tables = new TwinTables(single, router, OtherEqualitiesIT::make, DROP);
  }

  private static void make(Twins twins) throws SQLException {
    List.of(
            "CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic ="
                + " false)",
            "CREATE TABLE word (t text PRIMARY KEY, n int)",
            "CREATE TABLE other (t text PRIMARY KEY, n int)",
            "CREATE TABLE code (c char(8) PRIMARY KEY, n int)",
            "CREATE PROCEDURE copy_code(a varchar, b varchar) LANGUAGE plpgsql AS 'BEGIN UPDATE"
                + " code SET n = n + (SELECT sum(x.n) FROM code x WHERE x.c = a) WHERE c = a;"
                + " INSERT INTO code VALUES (b, 3) ON CONFLICT DO NOTHING; END'")
        .forEach(twins::same);
    Twins.run(twins.routed(), "SELECT create_distributed_table('code', 'c')");
    Twins.run(
        twins.routed(),
        "SELECT create_distributed_procedure('copy_code(varchar, varchar)', 'a, b', 'code')");
    Twins.run(twins.routed(), "SELECT create_distributed_table('word', 't')");
    Twins.run(twins.routed(), "SELECT create_distributed_table('other', 't')");
    List.of(
            "INSERT INTO word SELECT 'k' || i, i FROM generate_series(1, 30) i",
            "INSERT INTO word SELECT 'k' || i || ' ', i FROM generate_series(5, 30) i",
            "INSERT INTO word SELECT 'K' || i, i FROM generate_series(3, 20) i",
            "INSERT INTO other SELECT 'K' || i || ' ', i FROM generate_series(1, 30) i",
            "INSERT INTO code SELECT 'k' || i, i FROM generate_series(1, 30) i",
            "INSERT INTO other SELECT 'k' || i || ' ', i FROM generate_series(2, 30) i")
        .forEach(twins::same);
  }

  @BeforeEach
  void open() throws SQLException {
    twins = tables.open();
    kept = true;
  }

  @AfterEach
  void close() throws SQLException {
    tables.close(twins, kept);
  }

  @ParameterizedTest
  @ValueSource(strings = {"t::bpchar", "(t COLLATE caseless)", "(t::bpchar COLLATE caseless)"})
  void rowsMeetThatAreEqualThen(String key) {
    twins.same("SELECT count(*), sum(n) FROM word WHERE " + key + " = 'k7'");
    twins.same("SELECT count(*), sum(n) FROM word WHERE " + key + " IN ('k7', 'k8', 'K9 ')");
    twins.same("SELECT count(*) FROM word WHERE " + key + " = ANY (ARRAY['k7', 'k9'])");
    String left = key.replaceFirst("t", "w.t");
    String right = key.replaceFirst("t", "o.t");
    String join = " word w %s JOIN other o ON " + left + " = " + right;
    for (String kind : List.of("", "LEFT", "RIGHT")) {
      twins.same("SELECT count(*), sum(w.n), sum(o.n) FROM" + join.formatted(kind));
    }
    twins.same(
        "SELECT count(*) FROM word w WHERE " + left + " IN (SELECT " + right + " FROM other o)");
    twins.same(
        "SELECT count(*) FROM word w WHERE NOT EXISTS (SELECT FROM other o WHERE "
            + (left + " = " + right)
            + ")");
    twins.same(
        "SELECT count(*) FROM (SELECT "
            + key
            + " AS u FROM word) w JOIN (SELECT "
            + key
            + " AS u FROM other) o USING (u)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"t::bpchar", "(t COLLATE caseless)", "(t::bpchar COLLATE caseless)"})
  void groupsAreOfAllThatIsEqualThen(String key) {
    twins.same("SELECT count(*), max(c) FROM (SELECT count(*) c FROM word GROUP BY " + key + ") w");
    twins.same("SELECT min(n), count(*) FROM word GROUP BY " + key + " ORDER BY 1, 2");
    twins.same("SELECT count(*) FROM (SELECT DISTINCT " + key + " FROM word) w");
    twins.same("SELECT count(DISTINCT " + key + ") FROM word");
    twins.same(
        "SELECT max(c) FROM (SELECT count(*) OVER (PARTITION BY " + key + ") c FROM word) w");
    twins.same("SELECT DISTINCT ON (" + key + ") n FROM word ORDER BY " + key + ", n");
    twins.same(
        "SELECT count(*) FROM (SELECT " + key + " FROM word UNION SELECT t FROM other) both_of");
  }

  @Test
  void changesFindThem() {
    kept = false;
    twins.same("UPDATE word SET n = -n WHERE t::bpchar = 'k7'");
    twins.same("UPDATE word SET n = 100 WHERE t COLLATE caseless = 'k9'");
    twins.same("UPDATE word w SET n = o.n FROM other o WHERE o.t::bpchar = w.t::bpchar");
    twins.same("UPDATE word SET t = 'x1' WHERE t::bpchar = 'x1'");
    twins.same("UPDATE word SET t = 'k11  ' WHERE t::bpchar = 'k11' AND n > 0 AND t = 'k11'");
    twins.same("DELETE FROM word WHERE t::bpchar IN ('k12', 'k13')");
    twins.same("DELETE FROM word w USING other o WHERE w.t = o.t COLLATE caseless AND o.n = 14");
    twins.same(
        "INSERT INTO word SELECT t::bpchar || '+', n FROM other WHERE t::bpchar IN ('k3', 'k4')");
    twins.same("SELECT * FROM word ORDER BY t COLLATE \"C\", n");
  }

  /** JDBC binds texts as varchar, which PostgreSQL takes for char(n) without a change. */
  @ParameterizedTest
  @ValueSource(strings = {"varchar", "text", "bpchar"})
  void keysOfFixedLengthGoToOneNodeWhateverTheirParameterIs(String type) throws SQLException {
    kept = false;
    Connection routed = twins.routed();
    twins.same("PREPARE found(" + type + ") AS SELECT n FROM code WHERE c = $1::bpchar");
    twins.same("PREPARE set(" + type + ") AS UPDATE code SET n = n + 1 WHERE c = $1::bpchar");
    twins.same(
        "PREPARE merge("
            + type
            + ") AS MERGE INTO code t USING (VALUES ($1, 5)) s (a, b) ON t.c = s.a::bpchar WHEN"
            + " MATCHED THEN UPDATE SET n = t.n + s.b");
    twins.same(
        "PREPARE put("
            + type
            + ") AS INSERT INTO code VALUES ($1, 7), ('z' || $1, 8), (concat($1, 'y'), 9)");
    twins.same("PREPARE text(" + type + ") AS INSERT INTO word VALUES ($1::bpchar, 7)");
    for (String one : List.of("found", "set", "merge", "put", "text")) {
      for (int i = 1; i < 9; i++) {
        twins.same("EXECUTE " + one + "('k" + i + (one.equals("put") ? "0" : "") + " ')");
        twins.same("EXECUTE " + one + "('y" + i + "  ')");
      }
    }
    for (String one : List.of("found", "set")) {
      String plan = String.join("\n", Twins.run(routed, "EXPLAIN EXECUTE " + one + "('k5 ')"));
      assertFalse(plan.contains("of 3 nodes"), plan);
    }
    twins.same("DEALLOCATE ALL");
    twins.same("SELECT * FROM code ORDER BY 1");
    twins.same("SELECT * FROM word ORDER BY t COLLATE \"C\", n");
  }

  @Test
  void mergeComparesATextAsAnotherTypeToo() {
    kept = false;
    for (String table : List.of("word", "code")) {
      String key = table.equals("word") ? "t" : "c";
      for (String side : List.of("s.x::bpchar", "s.x", "s.x COLLATE caseless")) {
        twins.same(
            ("MERGE INTO %1$s w USING (SELECT t AS x, n FROM other WHERE n < 12) s ON w.%2$s = %3$s"
                 + " AND s.x LIKE 'k%%' WHEN MATCHED THEN UPDATE SET n = w.n + 100 WHEN NOT MATCHED"
                 + " AND s.n > 10 THEN INSERT VALUES (s.x || '%1$s', s.n)")
                .formatted(table, key, side));
      }
      twins.same("SELECT * FROM " + table + " ORDER BY 1, 2");
    }
    twins.same("DELETE FROM word WHERE t LIKE '%word'");
    for (int i = 40; i < 50; i++) {
      twins.same(
          ("MERGE INTO word w USING (VALUES ('k%1$d ')) s (x) ON w.t = s.x::bpchar WHEN MATCHED"
                  + " THEN UPDATE SET n = w.n + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.x::bpchar,"
                  + " %1$d)")
              .formatted(i));
      twins.same(
          ("MERGE INTO word w USING (VALUES ('k%1$d  ')) s (x) ON w.t = s.x::bpchar WHEN MATCHED"
                  + " THEN UPDATE SET n = w.n + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.x, %1$d)")
              .formatted(i));
    }
    twins.same("SELECT * FROM word ORDER BY t COLLATE \"C\", n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"varchar", "text"})
  void whatIsPutIntoAShortTextLosesItsBlanksAsThePutterSays(String type) throws SQLException {
    twins.same("DROP TABLE IF EXISTS brief");
    twins.same("CREATE TABLE brief (k varchar(6), n int)");
    Twins.run(twins.routed(), "SELECT create_distributed_table('brief', 'k')");
    twins.same("PREPARE brief(" + type + ") AS INSERT INTO brief VALUES ($1::bpchar, 1)");
    for (int i = 1; i < 12; i++) {
      twins.same("EXECUTE brief('k" + i + " ')");
    }
    twins.same("DEALLOCATE brief");
    twins.same("SELECT k || '|', n FROM brief ORDER BY 1");
    twins.same("SELECT n FROM brief WHERE k = 'k7'");
    twins.same("DROP TABLE brief");
  }

  @Test
  void proceduresWithTextArgumentsKnowKeysOfFixedLength() {
    kept = false;
    for (int i = 1; i < 12; i++) {
      twins.same("CALL copy_code('k" + i + "', 'n" + i + "')");
    }
    twins.same("SELECT * FROM code ORDER BY 1");
  }
}
