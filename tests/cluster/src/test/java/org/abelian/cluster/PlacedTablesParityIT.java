package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What scripts get that make tables of their own, and place them, is what one node gives: causes of
 * differences that drivers' and object-relational mappers' tests, and random statements, have
 * shown.
 */
@WithNode
@WithCluster
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PlacedTablesParityIT {
  /** What only the router is told begins so. */
  private static final String ROUTER = "@";

  private final LocalNode node;
  private final RouterServer router;

  PlacedTablesParityIT(LocalNode node, RouterServer router) {
    this.node = node;
    this.router = router;
  }

  static Stream<Arguments> scripts() {
    return Stream.of(
        script(
            "parameters are cast to the type of a distribution column",
            "CREATE TABLE made (id timestamptz PRIMARY KEY, v int)",
            place("made", "id"),
            "PREPARE stamp (timestamp, int) AS INSERT INTO made VALUES ($1, $2)",
            "EXECUTE stamp ('2024-01-01 10:00', 1)",
            "PREPARE day (date, int) AS INSERT INTO made VALUES ($1, $2), ($1 + 1, $2)",
            "EXECUTE day ('2024-02-03', 2)",
            "SELECT * FROM made ORDER BY id",
            "SELECT v FROM made WHERE id = '2024-02-03'",
            "DROP TABLE made"),
        script(
            "numbers and identifiers are cast to the type of a distribution column",
            "CREATE TABLE made (id numeric PRIMARY KEY)",
            place("made", "id"),
            "CREATE TABLE named (id text PRIMARY KEY)",
            place("named", "id"),
            "PREPARE number (float8) AS INSERT INTO made VALUES ($1) RETURNING id",
            "EXECUTE number (0.1)",
            "EXECUTE number (1e20)",
            "PREPARE own (uuid) AS INSERT INTO named VALUES ($1) RETURNING id",
            "EXECUTE own ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')",
            "PREPARE other (bool) AS INSERT INTO named VALUES ($1) RETURNING id",
            "EXECUTE other (true)",
            "SELECT id FROM made WHERE id = 0.1",
            "SELECT id FROM named WHERE id = 'true'",
            "DROP TABLE made, named"),
        script(
            "rows whose first value is a part of something in parentheses",
            "CREATE TABLE made (k int, a int)",
            place("made", "k"),
            "INSERT INTO made (a, k) VALUES ((ARRAY[1, 2])[1], 1), (3, 2), (4, 3)",
            "INSERT INTO made (a, k) VALUES (((ARRAY[1, 2])[2]) + 1, 4), ((ROW(1, 2)).f1, 5)",
            "INSERT INTO made (k, a) VALUES ((ARRAY[6])[1], 2), (7, 4)",
            "INSERT INTO made (a, k) VALUES ((SELECT max(x) FROM (VALUES (1), (9)) v (x)) + 1, 8),"
                + " (3, 9)",
            "SELECT k, a FROM made ORDER BY k",
            "DROP TABLE made"),
        script(
            "rows move to another partition behind a trigger",
            "CREATE FUNCTION stays() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
            "CREATE TABLE made (k int, d int, PRIMARY KEY (k, d)) PARTITION BY RANGE (d)",
            "CREATE TABLE made_low PARTITION OF made FOR VALUES FROM (MINVALUE) TO (10)",
            "CREATE TABLE made_high PARTITION OF made FOR VALUES FROM (10) TO (20)",
            "CREATE TRIGGER stays BEFORE UPDATE ON made FOR EACH ROW EXECUTE FUNCTION stays()",
            place("made", "k"),
            "INSERT INTO made VALUES (1, 1), (2, 2), (3, 3)",
            "UPDATE made SET d = d + 10",
            "UPDATE made SET d = 5 WHERE k = 2",
            "SELECT tableoid::regclass, * FROM made ORDER BY k",
            "DROP TABLE made",
            "DROP FUNCTION stays()"),
        script(
            "a cursor WITH HOLD that fails takes all with it, whatever is locked",
            "CREATE TABLE made (id int PRIMARY KEY, v int)",
            place("made", "id"),
            "CREATE TABLE own (id int PRIMARY KEY)",
            "INSERT INTO made SELECT g, 0 FROM generate_series(1, 9) g",
            "INSERT INTO own SELECT g FROM generate_series(1, 9) g",
            "BEGIN",
            "SELECT pg_advisory_xact_lock(77)",
            "UPDATE made SET v = v + 1 WHERE id IN (1, 2, 3, 4)",
            "DECLARE held CURSOR WITH HOLD FOR SELECT 10 / (id - 5) FROM own ORDER BY id",
            "COMMIT",
            "SELECT sum(v) FROM made",
            "DROP TABLE made, own"),
        script(
            "a table and a cursor WITH HOLD of it in one transaction",
            "BEGIN",
            "CREATE TABLE made (a int)",
            "INSERT INTO made VALUES (10), (20)",
            "DECLARE held CURSOR WITH HOLD FOR SELECT a FROM made ORDER BY a",
            "COMMIT",
            "FETCH ALL FROM held",
            "CLOSE held",
            "DROP TABLE made"),
        script(
            "functions and triggers that notify beside work elsewhere",
            "CREATE TABLE made (id int PRIMARY KEY, v int)",
            place("made", "id"),
            "CREATE TABLE own (id int)",
            "CREATE TABLE told (id int)",
            "INSERT INTO made SELECT g, 0 FROM generate_series(1, 9) g",
            "CREATE FUNCTION tells() RETURNS int LANGUAGE plpgsql AS 'BEGIN INSERT INTO own VALUES"
                + " (1); PERFORM pg_notify(''made'', ''x''); RETURN 1; END'",
            "CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NOTIFY made; RETURN"
                + " NEW; END'",
            "CREATE TRIGGER told BEFORE INSERT ON told FOR EACH ROW EXECUTE FUNCTION told()",
            "BEGIN",
            "SELECT tells()",
            "UPDATE made SET v = 1 WHERE id IN (1, 2, 3, 4)",
            "COMMIT",
            "BEGIN",
            "INSERT INTO told VALUES (1)",
            "UPDATE made SET v = 3 WHERE id IN (1, 2, 3, 4)",
            "COMMIT",
            "SELECT sum(v), count(*) FROM made",
            "SELECT id, count(*) FROM own GROUP BY id ORDER BY id",
            "DROP TABLE made, own, told",
            "DROP FUNCTION tells(), told()"),
        script(
            "queries of WITH that only an unread one mentions",
            "CREATE TABLE made (k int PRIMARY KEY, a int)",
            place("made", "k"),
            "INSERT INTO made VALUES (1, 1), (2, 2)",
            "WITH c AS (SELECT 1 AS x FROM made) SELECT count(*) FROM (WITH d AS (SELECT x FROM c)"
                + " SELECT a FROM made GROUP BY a) s",
            "DROP TABLE made"),
        script(
            "currval() of a parameter",
            "CREATE TABLE made (id serial PRIMARY KEY, v text)",
            "PREPARE latest (text) AS SELECT currval($1)",
            "EXECUTE latest ('made_id_seq')",
            "INSERT INTO made (v) VALUES ('a')",
            "EXECUTE latest ('made_id_seq')",
            "EXECUTE latest ('public.made_id_seq')",
            "EXECUTE latest (NULL)",
            "EXECUTE latest ('no_such_seq')",
            "EXECUTE latest ('made')",
            "PREPARE cast_twice (text) AS SELECT currval($1::text::regclass) + 1",
            "EXECUTE cast_twice ('made_id_seq')",
            "BEGIN",
            "INSERT INTO made (v) VALUES ('b')",
            "EXECUTE latest ('made_id_seq')",
            "ROLLBACK",
            "EXECUTE latest ('made_id_seq')",
            "DROP TABLE made"),
        script(
            "numbers of the session behind its own change of the schema",
            "CREATE TABLE made (id serial, v int)",
            place("made", "v"),
            "INSERT INTO made (v) VALUES (1)",
            "SELECT currval('made_id_seq') > 0",
            "ALTER TABLE made ADD COLUMN w int",
            "SELECT currval('made_id_seq') > 0",
            "SELECT lastval() > 0",
            "DROP TABLE made"),
        script(
            "NULLs stay NULLs where rows are gathered again",
            "CREATE TABLE made (k int PRIMARY KEY, s text)",
            place("made", "k"),
            "INSERT INTO made VALUES (1, NULL), (2, 'NULL'), (3, NULL)",
            "SET array_nulls = off",
            "SELECT '{NULL}'::text[] = ARRAY['NULL']",
            "SELECT s, s IS NULL FROM made WHERE k = 1",
            "SET array_nulls = on",
            "SELECT s, s IS NULL, count(*) FROM made GROUP BY s ORDER BY 2, 1",
            "DROP TABLE made"));
  }

  private static String place(String table, String column) {
    return ROUTER + "SELECT create_distributed_table('%s', '%s')".formatted(table, column);
  }

  private static Arguments script(String claim, String... statements) {
    return Arguments.of(claim, List.of(statements));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("scripts")
  void answersAreThoseOfOneNode(String claim, List<String> script) throws IOException {
    assertEquals(
        String.join("\n", answers(node.port(), script, false)),
        String.join("\n", answers(router.port(), script, true)),
        claim);
  }

  private static List<String> answers(int port, List<String> script, boolean routed)
      throws IOException {
    List<String> answers = new ArrayList<>();
    try (WireClient client = ParityFixture.wire(port)) {
      for (String statement : script) {
        if (!statement.startsWith(ROUTER)) {
          answers.add(statement);
          answers.addAll(ParityFixture.ask(client, statement));
        } else if (routed) {
          ParityFixture.ask(client, statement.substring(ROUTER.length()));
        }
      }
    }
    return answers;
  }

  /** Rows travel as arrays, in whose texts there are no NULLs then. */
  @ParameterizedTest
  @MethodSource("exchanges")
  void noRowsAreExchangedWhileArraysHaveNoNulls(String sql) throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      ParityFixture.ask(client, "CREATE TABLE made (k int PRIMARY KEY, s text)");
      ParityFixture.ask(client, "SELECT create_distributed_table('made', 'k')");
      try {
        ParityFixture.ask(client, "INSERT INTO made VALUES (1, NULL), (2, 'x'), (3, NULL)");
        ParityFixture.ask(client, "SET array_nulls = off");
        assertEquals("E 0A000", ParityFixture.ask(client, sql).get(0).strip());
      } finally {
        ParityFixture.ask(client, "DROP TABLE made");
      }
    }
  }

  static Stream<String> exchanges() {
    return Stream.of(
        "SELECT s, count(*) FROM made GROUP BY s",
        "INSERT INTO made SELECT k + 10, s FROM made",
        "UPDATE made SET k = k + 100",
        "SELECT s, row_number() OVER (ORDER BY k) FROM made",
        "UPDATE made a SET s = b.s FROM made b WHERE b.k = a.k + 1");
  }
}
