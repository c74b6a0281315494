package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Message for message, what scripts of several queries get through the router is what one node
 * gives: causes of differences that PostgreSQL's own regression scripts have shown.
 */
@WithNode
@WithCluster
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ScriptParityIT {
  private static final String ADD_THREE =
      "INSERT INTO account VALUES (%1$d01, 'x', 0), (%1$d02, 'x', 0), (%1$d03, 'x', 0), (%1$d04,"
          + " 'x', 0)";
  private static final String COUNT = "SELECT count(*) FROM account";

  /** What a script may leave. */
  private static final List<String> CLEANING =
      List.of("DELETE FROM scratch", "DELETE FROM account WHERE id > 100");

  /** Whether the tables of node and cluster may differ: at first, and after a failed test. */
  private static boolean differs = true;

  private final LocalNode node;
  private final RouterServer router;

  ScriptParityIT(LocalNode node, RouterServer router) {
    this.node = node;
    this.router = router;
  }

  @BeforeEach
  void createTables() throws SQLException {
    if (differs) {
      ParityFixture.create(node, router);
    }
  }

  static Stream<Arguments> scripts() {
    return Stream.of(
        script(
            "COMMIT without BEGIN ends what the same query has done",
            "INSERT INTO scratch VALUES ('a', '1'); COMMIT; INSERT INTO scratch VALUES ('b', '2');"
                + " SELECT 1/0",
            "SELECT name FROM scratch ORDER BY name"),
        script(
            "ROLLBACK without BEGIN takes back what the same query has done",
            "INSERT INTO scratch VALUES ('a', '1'); ROLLBACK; SELECT 2",
            "SELECT name FROM scratch ORDER BY name"),
        script(
            "COMMIT without BEGIN over several nodes",
            ADD_THREE.formatted(10) + "; COMMIT; " + ADD_THREE.formatted(20) + "; SELECT 1/0",
            COUNT),
        script(
            "ROLLBACK without BEGIN over several nodes",
            ADD_THREE.formatted(10) + "; ROLLBACK; SELECT 2",
            COUNT),
        script("AND CHAIN needs a block", "COMMIT AND CHAIN", "ROLLBACK AND CHAIN", COUNT),
        script("errors name the semicolon", "DELETE FROM;", "DROP TABLE;", "SELECT 1 +;"),
        script(
            "ANALYZE in a block, VACUUM not",
            "BEGIN",
            "ANALYZE scratch",
            "ANALYZE account",
            "COMMIT",
            "BEGIN",
            "VACUUM scratch",
            "ROLLBACK",
            "BEGIN",
            "CREATE INDEX CONCURRENTLY scratch_meaning ON scratch (meaning)",
            "ROLLBACK"),
        script(
            "notices of commands that run alone",
            "CREATE INDEX CONCURRENTLY scratch_meaning ON scratch (meaning)",
            "CREATE INDEX CONCURRENTLY IF NOT EXISTS scratch_meaning ON scratch (meaning)",
            "DROP INDEX CONCURRENTLY scratch_meaning",
            "DROP INDEX CONCURRENTLY IF EXISTS scratch_meaning"),
        script(
            "notices of deferred triggers",
            "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'row"
                + " %', NEW.name; RETURN NULL; END $$",
            "CREATE CONSTRAINT TRIGGER tell AFTER INSERT ON scratch INITIALLY DEFERRED FOR EACH ROW"
                + " EXECUTE FUNCTION tell()",
            "BEGIN",
            "CREATE TABLE another (a int)",
            "INSERT INTO scratch VALUES ('deferred', NULL)",
            "COMMIT",
            "DROP TABLE another",
            "DROP FUNCTION tell() CASCADE"),
        script(
            "EXPLAIN of commands that store a query",
            "EXPLAIN (COSTS OFF) CREATE TABLE kept AS SELECT 1 AS a",
            "EXPLAIN (COSTS OFF) SELECT 1 AS a INTO kept",
            "EXPLAIN (COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF) CREATE TABLE kept AS SELECT 1 AS"
                + " a",
            "SELECT * FROM kept",
            "DROP TABLE kept"),
        script(
            "temporary objects",
            "CREATE TEMP TABLE t (a int PRIMARY KEY, b text)",
            "CREATE TABLE beside (a int)",
            "INSERT INTO t VALUES (1, 'x'), (2, 'y')",
            "CREATE VIEW v AS SELECT a FROM t",
            "CREATE RULE r AS ON DELETE TO t DO INSTEAD NOTHING",
            "CREATE FUNCTION pg_temp.f() RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT 7'",
            "CREATE FUNCTION of_t(t) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1.a'",
            "CREATE DOMAIN pg_temp.d AS int CHECK (VALUE > 0)",
            "SELECT pg_temp.f(), of_t(t) FROM t ORDER BY a",
            "SELECT ('(1,x)'::t).b, 1::pg_temp.d",
            "DELETE FROM t",
            "DROP RULE r ON t",
            "DELETE FROM t WHERE a = 1",
            "SELECT * FROM v",
            "COMMENT ON COLUMN t.a IS 'a comment'",
            "DROP FUNCTION of_t(t)",
            "DROP DOMAIN pg_temp.d",
            "DROP VIEW v",
            "DROP TABLE t",
            "DROP TABLE beside"),
        script(
            "the mode of a transaction beside temporary objects",
            "CREATE TEMP TABLE t (a int)",
            "BEGIN",
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
            "SELECT count(*) FROM t",
            "SET TRANSACTION READ WRITE",
            "ROLLBACK",
            "BEGIN",
            "SET TRANSACTION READ ONLY",
            "SET TRANSACTION READ WRITE",
            "INSERT INTO t VALUES (1)",
            "COMMIT",
            "SELECT * FROM t",
            "DROP TABLE t"),
        script(
            "a function of tables in a query without one reads where they are",
            "INSERT INTO scratch VALUES ('seen', NULL)",
            "BEGIN",
            "SELECT id FROM account WHERE id = 3",
            "SELECT id FROM account WHERE id = 4",
            "SELECT has_table_privilege('scratch'::regclass::oid, 'SELECT')",
            "SELECT 'scratch'::regclass::oid = (SELECT oid FROM pg_class WHERE relname ="
                + " 'scratch')",
            "COMMIT"),
        script(
            "a role is taken back by another session authorization",
            "CREATE ROLE parity_one",
            "CREATE ROLE parity_two",
            "GRANT parity_two TO parity_one",
            "SET SESSION AUTHORIZATION parity_one",
            "SET ROLE parity_two",
            "RESET SESSION AUTHORIZATION",
            "SELECT session_user = current_user",
            "DROP ROLE parity_two",
            "SET SESSION AUTHORIZATION parity_one",
            "SELECT current_user",
            "CREATE TEMP TABLE of_one (a int)",
            "RESET SESSION AUTHORIZATION",
            "DROP TABLE of_one",
            "DROP ROLE parity_one"));
  }

  private static Arguments script(String name, String... queries) {
    return Arguments.of(name, List.of(queries));
  }

  @ParameterizedTest(name = "[{index}] {0}")
  @MethodSource("scripts")
  void theRouterAnswersLikeANode(String name, List<String> queries) throws IOException {
    differs = true;
    List<String> script = new ArrayList<>(queries);
    script.addAll(CLEANING);
    assertEquals(answers(script, node.port()), answers(script, router.port()));
    differs = false;
  }

  private static String answers(List<String> queries, int port) throws IOException {
    List<String> lines = new ArrayList<>();
    try (WireClient client = ParityFixture.wire(port)) {
      for (String query : queries) {
        List<Message> answer = client.query(query).untilReady();
        lines.add("> " + query);
        lines.addAll(ParityFixture.comparable(answer));
      }
    }
    return String.join("\n", lines);
  }
}
