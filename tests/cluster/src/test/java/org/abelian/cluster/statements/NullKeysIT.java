package org.abelian.cluster.statements;

import static org.abelian.cluster.statements.Twins.run;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/**
 * Rows with NULL in the distribution column, which all lie in one partition: they come, are found,
 * change and go as on one PostgreSQL, whatever the placement function.
 */
@WithNode
@WithCluster
class NullKeysIT {
  private static final String DROP =
      "DROP TABLE IF EXISTS guest, visit, listed, sized, named, filled, member, pair, kept CASCADE;"
          + " DROP PROCEDURE IF EXISTS book; DROP FUNCTION IF EXISTS seat";

  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE guest (k int, w int, tag text)",
          "CREATE TABLE visit (k int, n int, UNIQUE (k, n))",
          "CREATE TABLE listed (k int, w int)",
          "CREATE TABLE sized (k int, w int)",
          "CREATE TABLE named (k text, w int) PARTITION BY LIST (k)",
          "CREATE TABLE named_a PARTITION OF named FOR VALUES IN ('a', NULL)",
          "CREATE TABLE named_rest PARTITION OF named DEFAULT",
          "CREATE TABLE filled (k int, w int)",
          "CREATE TABLE member (k int, email text UNIQUE)",
          "CREATE TABLE kept (k int NOT NULL, w int)",
          "INSERT INTO filled SELECT nullif(i % 4, 1), i FROM generate_series(1, 12) i",
          "CREATE FUNCTION seat(x int, y int) RETURNS int LANGUAGE plpgsql AS 'BEGIN INSERT INTO"
              + " guest VALUES (x, y, ''seat''); RETURN y; END'",
          "CREATE PROCEDURE book(x int, y int) LANGUAGE plpgsql AS 'BEGIN INSERT INTO guest VALUES"
              + " (x, y, ''book''); END'");

  private static final List<String> PLACEMENTS =
      List.of(
          "SELECT create_distributed_table('guest', 'k')",
          "SELECT create_distributed_table('visit', 'k')",
          "SELECT create_distributed_table('listed', 'k', distribution_type => 'range',"
              + " rule => 'WHEN k < 4 THEN 2 WHEN k < 8 THEN 1 ELSE 1', shard_count => 3)",
          "SELECT create_distributed_table('sized', 'k', distribution_type => 'lookup', shard_count"
              + " => 3)",
          "SELECT abelian.place_key('sized', '3', 2)",
          "SELECT create_distributed_table('named', 'k')",
          "SELECT create_distributed_table('filled', 'k')",
          "ALTER TABLE member DROP CONSTRAINT member_email_key",
          "SELECT create_distributed_table('member', 'k')",
          "SELECT create_lookup_index('member', 'email')",
          "SELECT create_distributed_table('kept', 'k')",
          "SELECT create_distributed_procedure('book(int, int)', 'x', 'guest')");

  private final LocalNode single;
  private final RouterServer router;
  private Twins twins;

  NullKeysIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    twins = new Twins(single, router, "");
    for (String drop : DROP.split(";")) {
      twins.same(drop);
    }
    TABLES.forEach(twins::same);
    for (String placement : PLACEMENTS) {
      run(twins.routed(), placement);
    }
  }

  @AfterEach
  void drop() throws SQLException {
    twins.same("ROLLBACK");
    for (String drop : DROP.split(";")) {
      twins.same(drop);
    }
    twins.close();
  }

  private void sameRows(String... tables) {
    for (String table : tables) {
      twins.same("SELECT * FROM " + table + " ORDER BY 1, 2");
      twins.same("SELECT k, count(*), min(k) FROM " + table + " GROUP BY k ORDER BY k");
      twins.same("SELECT count(*), count(k), count(DISTINCT k) FROM " + table);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"guest", "listed", "sized"})
  void rowsComeWhateverBringsThem(String table) throws Exception {
    String into = "INSERT INTO " + table;
    twins.same(into + " (k, w) VALUES (NULL, 1)");
    twins.same(into + " (k, w) VALUES (3, 2), (NULL, 3), (5, 4), (NULL, 5), (9, 6) RETURNING k, w");
    twins.same(into + " (w) VALUES (7)");
    twins.same(into + " (k, w) VALUES (DEFAULT, 8), (nullif(1, 1), 9)");
    twins.same(into + " (k, w) SELECT nullif(i, 11), i FROM generate_series(10, 12) i");
    twins.same(into + " (k, w) SELECT k, 10 * w FROM " + table);
    twins.same(into + " (k, w) SELECT w, 100 * w FROM " + table + " WHERE k IS NULL AND w < 10");
    twins.same(into + " (k, w) SELECT NULL, k FROM " + table + " WHERE k = 3");
    for (Connection connection : twins.both()) {
      try (PreparedStatement insert = connection.prepareStatement(into + " VALUES (?, ?)")) {
        for (int i = 0; i < 12; i++) {
          insert.setObject(1, i % 3 == 0 ? null : i, java.sql.Types.INTEGER);
          insert.setInt(2, 1000 + i);
          insert.addBatch();
        }
        insert.executeBatch();
      }
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn(
              "COPY " + table + " (k, w) FROM STDIN",
              new StringReader("\\N\t2000\n4\t2001\n\\N\t2002\n"));
    }
    sameRows(table);
  }

  @Test
  void nullKeysLieInPartitionZero() throws SQLException {
    run(twins.routed(), "INSERT INTO guest VALUES (NULL, 1), (NULL, 2)");
    assertEquals(
        List.of("0|t|"),
        run(
            twins.routed(),
            "SELECT abelian.partition_of('guest', NULL), abelian.node_of('guest', NULL) ="
                + " (SELECT node_id FROM abelian.partitions p JOIN abelian.distributed_tables t"
                + " USING (colocation_id) WHERE relation = 'guest'::regclass AND p.partition ="
                + " 0)"));
  }

  /** Nothing is equal to NULL, but groups, DISTINCT and set operations put NULLs together. */
  @Test
  void readsFindThem() {
    twins.same(
        "INSERT INTO guest SELECT nullif(i % 6, 2), nullif(i % 5, 3), 'g' || i % 4 FROM"
            + " generate_series(1, 40) i");
    twins.same("INSERT INTO visit SELECT nullif(i % 8, 3), i FROM generate_series(1, 30) i");
    List.of(
            "SELECT w FROM guest WHERE k = NULL",
            "SELECT w FROM guest WHERE k IS NULL ORDER BY w",
            "SELECT count(*) FROM guest WHERE k IS NOT NULL",
            "SELECT count(*) FROM guest WHERE k IS DISTINCT FROM 3",
            "SELECT count(*) FROM guest WHERE k IS NOT DISTINCT FROM NULL",
            "SELECT count(*) FROM guest WHERE (k = 3) IS NOT TRUE",
            "SELECT count(*) FROM guest WHERE NOT (k > 2)",
            "SELECT w FROM guest WHERE k = 3 OR k IS NULL ORDER BY w",
            "SELECT DISTINCT k FROM guest ORDER BY k",
            "SELECT DISTINCT ON (k) k, w, tag FROM guest ORDER BY k, w, tag",
            "SELECT k, sum(w), rank() OVER (PARTITION BY k) FROM guest GROUP BY k ORDER BY k",
            "SELECT k, w, count(*) OVER (PARTITION BY k) FROM guest ORDER BY k, w",
            "SELECT g.k, v.n FROM guest g JOIN visit v USING (k) ORDER BY 1, 2",
            "SELECT g.k, g.w, v.n FROM guest g LEFT JOIN visit v USING (k) ORDER BY 1, 2, 3",
            "SELECT v.k, g.w FROM guest g RIGHT JOIN visit v USING (k) ORDER BY 1, 2",
            "SELECT g.k, v.k, count(*) FROM guest g FULL JOIN visit v USING (k) GROUP BY 1, 2"
                + " ORDER BY 1, 2",
            "SELECT count(*) FROM guest g JOIN visit v ON g.k IS NOT DISTINCT FROM v.k",
            "SELECT k, count(*) FROM guest g WHERE EXISTS (SELECT FROM visit v WHERE v.k = g.k)"
                + " GROUP BY k ORDER BY k",
            "SELECT k, count(*) FROM guest g WHERE NOT EXISTS (SELECT FROM visit v WHERE v.k ="
                + " g.k) GROUP BY k ORDER BY k",
            "SELECT count(*) FROM guest WHERE k IN (SELECT k FROM visit)",
            "SELECT count(*) FROM guest WHERE k NOT IN (SELECT k FROM visit)",
            "SELECT k, k IN (SELECT k FROM visit) FROM guest ORDER BY 1, 2",
            "SELECT k, (SELECT max(n) FROM visit v WHERE v.k = g.k) FROM guest g ORDER BY 1, 2",
            "SELECT k FROM guest UNION SELECT k FROM visit ORDER BY k",
            "SELECT k FROM guest INTERSECT ALL SELECT k FROM visit ORDER BY k",
            "SELECT k FROM guest EXCEPT SELECT k FROM visit ORDER BY k",
            "SELECT array_agg(DISTINCT k ORDER BY k) FROM guest",
            "SELECT k, tag, count(*) FROM guest GROUP BY GROUPING SETS ((k), (tag), ()) ORDER BY"
                + " 1, 2, 3",
            "SELECT 1 FROM guest GROUP BY ()",
            "SELECT s.k, s.c FROM (SELECT k, count(*) c FROM guest GROUP BY k) s LEFT JOIN visit v"
                + " ON v.k = s.k AND v.n = 5 ORDER BY 1")
        .forEach(twins::same);
  }

  @Test
  void changesFindThemAndMoveThem() {
    twins.same("INSERT INTO guest SELECT nullif(i % 6, 2), i, 'g' FROM generate_series(1, 24) i");
    twins.same("INSERT INTO visit SELECT nullif(i % 8, 3), i FROM generate_series(1, 24) i");
    List.of(
            "UPDATE guest SET w = w + 100 WHERE k IS NULL",
            "UPDATE guest SET k = NULL WHERE k = 4",
            "UPDATE guest SET k = w WHERE k IS NULL AND w < 10",
            "UPDATE guest SET k = nullif(k, 1)",
            "UPDATE guest g SET tag = 'v' FROM visit v WHERE v.k = g.k AND v.n = g.w",
            "DELETE FROM guest WHERE k IS NULL AND w % 2 = 0",
            "DELETE FROM visit v USING guest g WHERE g.k IS NULL AND v.k IS NULL AND v.n = g.w",
            "INSERT INTO visit VALUES (NULL, 3) ON CONFLICT DO NOTHING",
            "INSERT INTO visit VALUES (NULL, 3) ON CONFLICT (k, n) DO UPDATE SET n = 70",
            "INSERT INTO visit SELECT v.k, 100 + g.w FROM guest g LEFT JOIN visit v ON v.k = g.k"
                + " AND v.n < 4 WHERE g.k = 5",
            "INSERT INTO visit SELECT v.k, 200 + g.w FROM guest g LEFT JOIN visit v ON v.k = g.k"
                + " AND v.n < 4",
            "INSERT INTO visit SELECT v.k, 300 + g.w FROM visit v RIGHT JOIN guest g ON v.k = g.k"
                + " AND v.k = 5 AND v.n < 4",
            "INSERT INTO visit SELECT s.k, 400 + s.w FROM (SELECT v.k, g.w FROM guest g FULL JOIN"
                + " visit v ON v.k = g.k AND v.n < 4) s WHERE s.w < 9",
            "MERGE INTO guest g USING visit v ON g.k = v.k WHEN MATCHED AND v.n = 9 THEN UPDATE"
                + " SET tag = 'm' WHEN NOT MATCHED THEN INSERT VALUES (v.k, v.n, 'new')",
            "MERGE INTO guest g USING visit v ON g.w = v.n WHEN NOT MATCHED THEN INSERT VALUES"
                + " (NULL, v.n, 'null')",
            "WITH gone AS (DELETE FROM guest WHERE k IS NULL AND w > 100 RETURNING *) INSERT INTO"
                + " visit SELECT k, w FROM gone",
            "BEGIN",
            "INSERT INTO guest VALUES (NULL, 500, 'own')",
            "SELECT * FROM guest WHERE w = 500",
            "UPDATE guest SET k = 7 WHERE w = 500",
            "SELECT * FROM guest WHERE k = 7 ORDER BY w",
            "SELECT w FROM guest WHERE k IS NULL ORDER BY w FOR UPDATE",
            "ROLLBACK")
        .forEach(
            sql -> {
              twins.same(sql);
              sameRows("guest", "visit");
            });
  }

  /** PostgreSQL's own partitions are another matter than those of the placement. */
  @Test
  void theyGoToThePartitionThatTakesNull() {
    twins.same("INSERT INTO named VALUES ('a', 1), (NULL, 2), ('b', 3), (NULL, 4)");
    twins.same("SELECT tableoid::regclass, * FROM named ORDER BY w");
    twins.same("UPDATE named SET k = 'z' WHERE w = 2");
    twins.same("UPDATE named SET k = NULL WHERE w = 3");
    twins.same("SELECT tableoid::regclass, * FROM named ORDER BY w");
  }

  @Test
  void theyMoveWithTheirTableAndComeBack() throws SQLException {
    sameRows("filled");
    run(twins.routed(), "SELECT undistribute_table('filled')");
    sameRows("filled");
    run(
        twins.routed(),
        "SELECT create_distributed_table('filled', 'k', distribution_type => 'list',"
            + " rule => 'WHEN k IN (2) THEN 0 ELSE 1', shard_count => 2)");
    sameRows("filled");
    twins.same("DELETE FROM filled WHERE k IS NULL");
    sameRows("filled");
  }

  @Test
  void aLookupIndexFindsThem() {
    twins.same("INSERT INTO member VALUES (NULL, 'a'), (1, 'b'), (NULL, 'c'), (NULL, NULL)");
    twins.same("SELECT * FROM member WHERE email = 'c'");
    twins.same("INSERT INTO member VALUES (NULL, 'c')");
    twins.same("UPDATE member SET k = 5 WHERE email = 'c'");
    twins.same("UPDATE member SET k = NULL WHERE email = 'b'");
    twins.same("SELECT * FROM member WHERE email = 'b'");
    twins.same("DELETE FROM member WHERE email = 'a'");
    twins.same("INSERT INTO member VALUES (8, 'a')");
    sameRows("member");
  }

  @Test
  void functionsAndProceduresInsertThem() {
    List.of(
            "CALL book(NULL, 1)",
            "CALL book(3, 2)",
            "SELECT seat(NULL, 3)",
            "SELECT seat(5, 4)",
            "DO 'BEGIN INSERT INTO guest VALUES (NULL, 5, ''do''); END'",
            "BEGIN",
            "CALL book(NULL, 6)",
            "COMMIT")
        .forEach(twins::same);
    sameRows("guest");
  }

  @Test
  void aNotNullColumnRefusesThem() {
    twins.same("INSERT INTO kept VALUES (NULL, 1)");
    twins.same("INSERT INTO kept VALUES (1, 1), (NULL, 2)");
    twins.same("INSERT INTO kept SELECT nullif(i, 3), i FROM generate_series(1, 5) i");
    twins.same("INSERT INTO kept (w) VALUES (3)");
    twins.same("INSERT INTO kept VALUES (7, 7)");
    twins.same("UPDATE kept SET k = NULL WHERE w = 7");
    sameRows("kept");
  }

  /** A statement that names one of the columns would have to ask the node of NULL, too. */
  @Test
  void aTableWithSeveralDistributionColumnsTakesNone() throws SQLException {
    run(twins.routed(), "CREATE TABLE pair (a int, b int)");
    run(twins.routed(), "SELECT create_distributed_table('pair', 'a, b')");
    assertEquals(
        List.of("23502"), Twins.answer(twins.routed(), "INSERT INTO pair VALUES (1, NULL)"));
    assertEquals(
        List.of("23502"),
        Twins.answer(
            twins.routed(),
            "INSERT INTO pair SELECT 1, nullif(i, 2) FROM generate_series(1, 3) i"));
    run(twins.routed(), "INSERT INTO pair VALUES (1, 2)");
    assertEquals(
        List.of("23502"), Twins.answer(twins.routed(), "UPDATE pair SET b = NULL WHERE a = 1"));
    run(twins.routed(), "DROP TABLE pair");
  }
}
