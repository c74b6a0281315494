package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

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
import org.junit.jupiter.params.provider.ValueSource;

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
            "DROP TABLE made"),
        script(
            "arrays of what a subquery reads of a counter",
            "CREATE TABLE made (k int PRIMARY KEY, n abelian.counter, m abelian.max)",
            place("made", "k"),
            "INSERT INTO made VALUES (1, 4, 7), (2, 1, 8), (3, 0, 9)",
            "SELECT ARRAY(SELECT n FROM made ORDER BY k)::text, 1",
            "SELECT k, ARRAY(SELECT m FROM made ORDER BY k LIMIT 2)::text FROM made ORDER BY k",
            "DROP TABLE made"),
        script(
            "a temporary table beside a node that a function ran on",
            "CREATE TABLE made (k int PRIMARY KEY, a int)",
            place("made", "k"),
            "CREATE FUNCTION put(i int) RETURNS int LANGUAGE plpgsql AS"
                + " 'BEGIN UPDATE made SET a = 1 WHERE k = i; RETURN 1; END'",
            "SELECT put(1)",
            "SELECT put(2)",
            "SELECT put(3)",
            "SELECT put(4)",
            "BEGIN",
            "CREATE TEMP TABLE own (k int)",
            "INSERT INTO made SELECT i, i FROM generate_series(1, 9) i",
            "COMMIT",
            "SELECT count(*) FROM made",
            "DROP TABLE own",
            "DROP TABLE made",
            "DROP FUNCTION put"),
        script(
            "modes that were set behind a savepoint end with it",
            "CREATE TABLE made (k int PRIMARY KEY)",
            place("made", "k"),
            "BEGIN",
            "SAVEPOINT a",
            "SET TRANSACTION READ ONLY",
            "RELEASE a",
            "INSERT INTO made VALUES (1), (2), (3)",
            "COMMIT",
            "BEGIN",
            "SELECT 1",
            "SAVEPOINT a",
            "SET transaction_read_only = on",
            "SAVEPOINT b",
            "RELEASE a",
            "SHOW transaction_read_only",
            "INSERT INTO made VALUES (4), (5), (6)",
            "COMMIT",
            "SELECT count(*) FROM made",
            "DROP TABLE made"),
        script(
            "bodies that commit, count, choose and take rows from cursors, at one node",
            "CREATE TABLE made (k int PRIMARY KEY, v int)",
            place("made", "k"),
            "INSERT INTO made SELECT k, 0 FROM generate_series(1, 6) k",
            "CREATE TABLE apart (k int PRIMARY KEY, v int)",
            "INSERT INTO apart VALUES (1, 1)",
            "CREATE PROCEDURE twice(x int) LANGUAGE plpgsql AS $$ BEGIN"
                + " UPDATE made SET v = v + 1 WHERE k = x; COMMIT;"
                + " UPDATE made SET v = v + 10 WHERE k = x; ROLLBACK;"
                + " UPDATE made SET v = v + 100 WHERE k = x; END $$",
            "CALL twice(1)",
            "CALL twice(2)",
            "CALL twice(5)",
            "BEGIN",
            "CALL twice(1)",
            "ROLLBACK",
            "CREATE PROCEDURE some(INOUT x int) LANGUAGE plpgsql AS $$ BEGIN"
                + " FOR i IN 1..3 LOOP UPDATE apart SET v = v + 1 RETURNING v INTO x;"
                + " IF i = 2 THEN ROLLBACK; ELSE COMMIT; END IF; END LOOP; END $$",
            "CALL some(1)",
            "DO $$ BEGIN FOR i IN 10..12 LOOP INSERT INTO apart VALUES (i, 0); COMMIT;"
                + " END LOOP; END $$",
            "DO $$ BEGIN UPDATE made SET v = v + 1 WHERE k = 3; COMMIT;"
                + " UPDATE made SET v = v + 1 WHERE k = 3; ROLLBACK; END $$",
            "CREATE FUNCTION chosen(x text) RETURNS int LANGUAGE plpgsql AS $$"
                + " DECLARE n int; c CURSOR FOR SELECT v FROM apart; BEGIN"
                + " UPDATE apart SET v = v + 1; GET DIAGNOSTICS n = ROW_COUNT;"
                + " CASE x WHEN 'a', 'b' THEN RETURN n; WHEN 'c' THEN OPEN c; FETCH c INTO n;"
                + " CLOSE c; WHEN 'd' THEN FOR r IN c LOOP n := n + r.v; END LOOP;"
                + " WHEN 'e' THEN UPDATE apart SET v = v / 0; END CASE; RETURN n;"
                + " EXCEPTION WHEN division_by_zero THEN ROLLBACK; END $$",
            "SELECT chosen('b')",
            "SELECT chosen('c')",
            "SELECT chosen('d')",
            "SELECT chosen('e')",
            "SELECT chosen('f')",
            "SELECT * FROM apart ORDER BY k",
            "SELECT * FROM made ORDER BY k",
            "DROP TABLE made, apart",
            "DROP FUNCTION chosen",
            "DROP PROCEDURE twice",
            "DROP PROCEDURE some"),
        script(
            "bodies with records, whose columns are those of what was read last",
            "CREATE TABLE apart (k int PRIMARY KEY, v int)",
            "INSERT INTO apart VALUES (1, 1), (2, 2)",
            "CREATE TABLE made (k int PRIMARY KEY, v int)",
            place("made", "k"),
            "INSERT INTO made VALUES (1, 1), (2, 2), (3, 3)",
            body(
                "each()",
                "FOR r IN SELECT k, v FROM apart LOOP"
                    + " UPDATE apart SET v = r.v + 1 WHERE k = r.k; END LOOP; RETURN r.v"),
            "SELECT each()",
            body(
                "keyed(x int)",
                "SELECT * INTO r FROM made WHERE k = x;"
                    + " UPDATE made SET v = r.v + 1 WHERE k = x;"
                    + " IF r.v > 1 THEN RETURN 5; END IF; RETURN r.v"),
            "SELECT keyed(2)",
            "SELECT keyed(1)",
            body(
                "fetched()",
                "OPEN c FOR SELECT k, v FROM apart ORDER BY k; LOOP FETCH c INTO r;"
                    + " EXIT WHEN NOT FOUND; UPDATE apart SET v = r.v * 10 WHERE CURRENT OF c;"
                    + " END LOOP; CLOSE c; RETURN r.v"),
            "SELECT fetched()",
            body(
                "summed()",
                "SELECT sum(v) AS s, count(*) AS c INTO r FROM made;" + " RETURN r.s * 10 + r.c"),
            "SELECT summed()",
            body(
                "either(x int)",
                "IF x = 1 THEN SELECT k, v INTO r FROM apart WHERE k = 1;"
                    + " ELSE SELECT v AS w INTO r FROM apart WHERE k = 1; RETURN r.w; END IF;"
                    + " RETURN r.v"),
            "SELECT either(1), either(2)",
            "SELECT * FROM apart ORDER BY k",
            "SELECT * FROM made ORDER BY k",
            "DROP FUNCTION each",
            "DROP FUNCTION keyed",
            "DROP FUNCTION fetched",
            "DROP FUNCTION summed",
            "DROP FUNCTION either",
            "DROP TABLE apart, made"),
        script(
            "bodies that nobody sees through, about tables without placement",
            "CREATE TABLE made (k int PRIMARY KEY)",
            place("made", "k"),
            "CREATE TABLE apart (k int PRIMARY KEY, v int)",
            "INSERT INTO apart VALUES (1, 1)",
            body("run(what text)", "EXECUTE what; RETURN 1"),
            "SELECT run('UPDATE apart SET v = v + 1')",
            "CREATE PROCEDURE inner_one() LANGUAGE plpgsql AS"
                + " 'BEGIN UPDATE apart SET v = v + 10; END'",
            body("outer_one()", "CALL inner_one(); RETURN 2"),
            "SELECT outer_one()",
            "CREATE PROCEDURE parts() LANGUAGE plpgsql AS $$ BEGIN"
                + " EXECUTE 'UPDATE apart SET v = v + 100'; COMMIT;"
                + " EXECUTE 'UPDATE apart SET v = v + 1000'; ROLLBACK; END $$",
            "CALL parts()",
            "BEGIN",
            "SELECT run('UPDATE apart SET v = v + 10000')",
            "INSERT INTO made VALUES (1), (2), (3), (4)",
            "COMMIT",
            "SELECT * FROM apart",
            "SELECT count(*) FROM made",
            "CREATE VIEW over AS SELECT k FROM made",
            body("sees()", "EXECUTE 'SELECT 1'; RETURN (SELECT count(*) FROM over)"),
            "SELECT sees()",
            "DROP FUNCTION sees",
            "DROP VIEW over",
            "DROP FUNCTION run",
            "DROP FUNCTION outer_one",
            "DROP PROCEDURE parts",
            "DROP PROCEDURE inner_one",
            "DROP TABLE made, apart"),
        script(
            "whole rows, of functions and in expressions, that an outer join has not found",
            "CREATE TABLE made (k int PRIMARY KEY, v int)",
            place("made", "k"),
            "CREATE TABLE other (k int PRIMARY KEY, v int)",
            place("other", "k"),
            "INSERT INTO made VALUES (1, 1), (2, 2), (3, 0)",
            "INSERT INTO other VALUES (1, 1), (2, 7)",
            "CREATE FUNCTION given(int) RETURNS SETOF made LANGUAGE sql STABLE AS"
                + " 'SELECT * FROM made WHERE v = $1'",
            "SELECT o.k, g FROM other o LEFT JOIN given(1) g ON g.k = o.k ORDER BY 1",
            "SELECT coalesce(g, ROW(0, 0)::made) FROM other o LEFT JOIN given(1) g ON g.k = o.k"
                + " ORDER BY o.k",
            "CREATE TABLE kept (k int PRIMARY KEY, r made)",
            place("kept", "k"),
            "INSERT INTO kept SELECT o.k, g FROM other o LEFT JOIN LATERAL given(o.v) g ON true",
            "SELECT k, r, r IS NOT DISTINCT FROM NULL FROM kept ORDER BY k",
            "SELECT coalesce(o, ROW(0, 0)::other) FROM made m LEFT JOIN other o ON o.k = m.v"
                + " ORDER BY m.k",
            "SELECT CASE WHEN o.v > 0 THEN o END, nullif(o, ROW(0, 0)::other), ARRAY[o]"
                + " FROM made m JOIN other o ON o.k = m.v ORDER BY o.k",
            "SELECT o, count(m), to_json(o) FROM made m LEFT JOIN other o ON o.k = m.v"
                + " GROUP BY o ORDER BY 1",
            "SELECT count(o), array_agg(o ORDER BY m.k) FROM made m LEFT JOIN other o ON o.k = m.v",
            "DROP TABLE kept",
            "DROP FUNCTION given",
            "DROP TABLE made, other"),
        script(
            "columns that are written as their state, which say more than is seen of them",
            "CREATE TABLE made (k int PRIMARY KEY, g int, l abelian.lww_map, b"
                + " abelian.summary_bag)",
            place("made", "k"),
            "CREATE TABLE apart (k int PRIMARY KEY, g int, l abelian.lww_map, b"
                + " abelian.summary_bag)",
            "INSERT INTO made SELECT i, 0 FROM generate_series(1, 6) i",
            "UPDATE made SET l = abelian.put(l, 'a', 5, '1'), b = abelian.add(abelian.add(b, 1),"
                + " k)",
            "SELECT count(*), l FROM made GROUP BY l",
            "SELECT k, l, b FROM made ORDER BY b DESC LIMIT 2",
            "SELECT DISTINCT l FROM made",
            "SELECT x.k, y.k, x.l, y.b FROM made x LEFT JOIN made y ON x.g = y.g AND y.k < x.k"
                + " ORDER BY 1, 2 LIMIT 3",
            "SELECT array_agg(b::text ORDER BY k) FROM made",
            "INSERT INTO apart SELECT * FROM made",
            "INSERT INTO made SELECT k + 100, g, l, b FROM made",
            "WITH gone AS (DELETE FROM made WHERE k < 4 RETURNING *)"
                + " INSERT INTO apart SELECT k + 1000, g, l, b FROM gone",
            "CREATE TABLE copied AS SELECT * FROM made",
            "UPDATE made SET b = apart.b FROM apart WHERE apart.k = made.k",
            "UPDATE made SET k = k + 10 WHERE k > 100",
            "MERGE INTO made USING apart ON made.g = apart.g AND made.k = apart.k + 110"
                + " WHEN MATCHED THEN UPDATE SET b = apart.b"
                + " WHEN NOT MATCHED THEN INSERT VALUES (apart.k + 5000, 1, apart.l, apart.b)",
            // What has a lower order is not put, and what is added counts with what was there.
            "UPDATE made SET l = abelian.put(l, 'a', 4, '2'), b = abelian.add(b, 100)",
            "UPDATE apart SET l = abelian.put(l, 'a', 4, '2'), b = abelian.add(b, 100)",
            "UPDATE copied SET l = abelian.put(l, 'a', 4, '2'), b = abelian.add(b, 100)",
            "SELECT * FROM made ORDER BY k",
            "SELECT * FROM apart ORDER BY k",
            "SELECT * FROM copied ORDER BY k",
            "DROP TABLE made, apart, copied"),
        script(
            "a function that changes one key's row, in expressions",
            "CREATE TABLE made (k int PRIMARY KEY, v int)",
            place("made", "k"),
            "INSERT INTO made SELECT i, i FROM generate_series(1, 9) i",
            "CREATE FUNCTION raised(key int, OUT k int, OUT v int) LANGUAGE plpgsql AS $$ BEGIN"
                + " UPDATE made SET v = made.v + 1 WHERE made.k = key"
                + " RETURNING made.k, made.v INTO k, v; END $$",
            "SELECT r.v * 10, upper('x') FROM raised(3) r WHERE r.k > 2 ORDER BY 1 LIMIT 1",
            "SELECT (raised(4)).v",
            "SELECT count(*) FROM raised(5)",
            "SELECT 1 WHERE (SELECT v FROM raised(6)) > 6",
            "SELECT * FROM made ORDER BY k",
            "DROP FUNCTION raised",
            "DROP TABLE made"),
        script(
            "a table is locked, altered and written whose trigger notifies",
            "CREATE TABLE made (k int PRIMARY KEY)",
            "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN PERFORM pg_notify('made', ''); RETURN NULL; END $$",
            "CREATE TRIGGER tell AFTER INSERT ON made FOR EACH STATEMENT EXECUTE FUNCTION tell()",
            "BEGIN",
            "LOCK TABLE made",
            "ALTER TABLE made ADD COLUMN v int",
            "INSERT INTO made VALUES (3)",
            "COMMIT",
            "BEGIN",
            "LOCK TABLE made IN ROW EXCLUSIVE MODE",
            "CREATE INDEX ON made (v)",
            "INSERT INTO made VALUES (4)",
            "COMMIT",
            "SELECT * FROM made ORDER BY k",
            "DROP TABLE made",
            "DROP FUNCTION tell"));
  }

  private static String place(String table, String column) {
    return ROUTER + "SELECT create_distributed_table('%s', '%s')".formatted(table, column);
  }

  /** A function with a record and a cursor. */
  private static String body(String signature, String statements) {
    return "CREATE FUNCTION %s RETURNS int LANGUAGE plpgsql AS $$ DECLARE r record; c refcursor; BEGIN %s; END $$"
        .formatted(signature, statements);
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

  /** The node that runs them watches what they do: there are parts of it on other nodes. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE made SET v = 1",
        "UPDATE made SET v = 1 WHERE k = 1",
        "SELECT * FROM made FOR UPDATE",
        "TRUNCATE made",
        "LOCK TABLE made",
        "UPDATE alike SET k = 2",
        "DELETE FROM alike",
        "CREATE TABLE other (k int)",
        "ALTER TABLE apart ADD COLUMN w int",
        "DROP TABLE apart",
        "DO 'BEGIN UPDATE made SET v = 9; END'",
        "SELECT create_distributed_table('apart', 'k')",
        "LISTEN made",
        "DEALLOCATE ALL",
        "DEALLOCATE abelian_1",
        "DO 'BEGIN EXECUTE ''DEALLOCATE ALL''; END'",
        "SET CONSTRAINTS ALL DEFERRED"
      })
  void whatABodyRunsUnseenIsWatched(String text) throws IOException {
    List<String> tables = List.of("made", "alike", "apart");
    try (WireClient client = ParityFixture.wire(router.port())) {
      for (String table : tables) {
        ParityFixture.ask(client, "CREATE TABLE " + table + " (k int PRIMARY KEY, v int)");
      }
      ParityFixture.ask(client, "SELECT create_distributed_table('made', 'k')");
      ParityFixture.ask(client, "SELECT create_reference_table('alike')");
      ParityFixture.ask(client, "INSERT INTO made SELECT i, 0 FROM generate_series(1, 9) i");
      ParityFixture.ask(client, "INSERT INTO alike VALUES (1)");
      ParityFixture.ask(client, body("run(what text)", "EXECUTE what; RETURN 1"));
      try {
        String run = "SELECT run('" + text.replace("'", "''") + "')";
        assertEquals("E", ParityFixture.ask(client, run).get(0).substring(0, 1));
        assertEquals(
            "[9, 0]", ParityFixture.ask(client, "SELECT count(*), sum(v) FROM made").get(0));
        assertEquals("[1]", ParityFixture.ask(client, "SELECT k FROM alike").get(0));
      } finally {
        ParityFixture.ask(client, "DROP FUNCTION run");
        for (String table : tables) {
          ParityFixture.ask(client, "DROP TABLE " + table);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT create_distributed_table('made', 'k') UNION ALL"
            + " SELECT create_distributed_table('apart', 'k')",
        "WITH a AS (SELECT create_distributed_table('made', 'k')),"
            + " b AS (SELECT create_distributed_table('apart', 'k')) SELECT FROM a, b",
        "SELECT (SELECT create_distributed_table('made', 'k')),"
            + " (SELECT create_distributed_table('apart', 'k'))"
      })
  void severalChangesOfThePlacementAreOneStatement(String sql) throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      ParityFixture.ask(client, "CREATE TABLE made (k int PRIMARY KEY)");
      ParityFixture.ask(client, "CREATE TABLE apart (k int PRIMARY KEY)");
      try {
        List<String> answer = ParityFixture.ask(client, sql);
        assertFalse(answer.get(0).startsWith("E"), answer::toString);
        String rows = " SELECT i FROM generate_series(1, 9) i";
        for (String table : List.of("made", "apart")) {
          assertEquals(
              "C INSERT 0 9",
              ParityFixture.ask(client, "INSERT INTO " + table + rows).get(0).strip());
        }
      } finally {
        ParityFixture.ask(client, "DROP TABLE made, apart");
      }
    }
  }

  /** One node alone would have another placement than the others. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "DO $$ BEGIN PERFORM create_distributed_table('apart', 'k'); END $$",
        "DO $$ BEGIN EXECUTE 'SELECT create_reference_table(''apart'')'; END $$",
        "CALL place_it()",
        "SELECT placed_it()"
      })
  void noBodyChangesThePlacementOfOneNode(String sql) throws IOException {
    String body = " LANGUAGE plpgsql AS $$ BEGIN PERFORM create_distributed_table('apart', 'k'); ";
    try (WireClient client = ParityFixture.wire(router.port())) {
      ParityFixture.ask(client, "CREATE TABLE apart (k int PRIMARY KEY, v int)");
      ParityFixture.ask(client, "CREATE PROCEDURE place_it()" + body + "END $$");
      ParityFixture.ask(
          client, "CREATE FUNCTION placed_it() RETURNS int" + body + "RETURN 1; END $$");
      try {
        assertEquals("E 0A000", ParityFixture.ask(client, sql).get(0).strip());
        assertEquals(
            "[]",
            ParityFixture.ask(client, "SELECT create_distributed_table('apart', 'k')").get(0));
        assertEquals(
            "C INSERT 0 9",
            ParityFixture.ask(client, "INSERT INTO apart SELECT i, i FROM generate_series(1, 9) i")
                .get(0)
                .strip());
      } finally {
        ParityFixture.ask(client, "DROP PROCEDURE place_it");
        ParityFixture.ask(client, "DROP FUNCTION placed_it");
        ParityFixture.ask(client, "DROP TABLE apart");
      }
    }
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
