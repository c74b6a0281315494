package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions that read tables, called for rows of several nodes, give what one PostgreSQL gives. */
@WithNode
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InlinedFunctionsIT {
  private static final String REFUSED = "0A000";

  private static final String DROP = "DROP SCHEMA IF EXISTS fn CASCADE";

  private static final List<String> TABLES =
      List.of(
          "CREATE SCHEMA fn",
          "CREATE TABLE fn.d (key int PRIMARY KEY, n int, t text)",
          "CREATE TABLE fn.e (key int, seq int, v numeric(8,2), PRIMARY KEY (key, seq))",
          "CREATE TABLE fn.r (code text PRIMARY KEY, v int)",
          "CREATE TABLE fn.u (id int, v int)",
          "CREATE FUNCTION fn.total(x int) RETURNS numeric STABLE LANGUAGE sql AS"
              + " 'SELECT sum(v) FROM fn.e WHERE e.key = x'",
          "CREATE FUNCTION fn.first_n(x int) RETURNS int LANGUAGE sql AS"
              + " 'SELECT n FROM fn.d WHERE d.key >= $1 ORDER BY d.key'",
          "CREATE FUNCTION fn.strictly(x int, y int) RETURNS bigint STRICT STABLE LANGUAGE sql AS"
              + " 'SELECT count(*) FROM fn.d WHERE n > x + y'",
          "CREATE FUNCTION fn.atomic(x int, y int DEFAULT 30) RETURNS bigint STABLE LANGUAGE sql"
              + " BEGIN ATOMIC SELECT count(*) FROM fn.d WHERE n BETWEEN x AND y; END",
          "CREATE FUNCTION fn.returned(x int) RETURNS bigint STABLE LANGUAGE sql"
              + " RETURN (SELECT count(*) FROM fn.e WHERE seq = x)",
          "CREATE FUNCTION fn.nested(x int) RETURNS numeric LANGUAGE sql AS"
              + " 'SELECT fn.total(x) + fn.atomic(x)'",
          "CREATE FUNCTION fn.in_plpgsql(x int) RETURNS bigint LANGUAGE plpgsql AS"
              + " 'BEGIN RETURN (SELECT count(*) FROM fn.e WHERE e.key < x); END'",
          "CREATE FUNCTION fn.into_variable(x int) RETURNS int LANGUAGE plpgsql STABLE AS"
              + " 'DECLARE found_n int; BEGIN SELECT d.n INTO found_n FROM fn.d WHERE d.key = x;"
              + " RETURN found_n; END'",
          "CREATE FUNCTION fn.given(x int) RETURNS TABLE (a int, b numeric) LANGUAGE plpgsql AS"
              + " 'DECLARE least int := x / 2; most int; BEGIN SELECT max(d.n) INTO most FROM fn.d"
              + " WHERE d.key <= x + 3; RETURN QUERY SELECT e.seq, e.v FROM fn.e WHERE e.key >="
              + " least AND e.v < most ORDER BY e.v, e.seq LIMIT 5; END'",
          "CREATE FUNCTION fn.either_rows(x int) RETURNS SETOF fn.e STABLE LANGUAGE plpgsql AS"
              + " 'BEGIN RETURN QUERY SELECT * FROM fn.e WHERE e.seq = x; IF x > 2 THEN RETURN"
              + " QUERY SELECT d.key, d.n, 1.5::numeric(8,2) FROM fn.d WHERE d.key < x; RETURN;"
              + " ELSIF x IS NULL THEN RETURN QUERY SELECT 0, 0, count(*)::numeric(8,2) FROM fn.d;"
              + " END IF; RETURN QUERY SELECT * FROM fn.e WHERE e.key = x; END'",
          "CREATE FUNCTION fn.numbers(x int) RETURNS SETOF bigint LANGUAGE plpgsql AS"
              + " 'BEGIN IF x > 3 THEN RETURN QUERY SELECT count(*) FROM fn.e WHERE e.key < x; ELSE"
              + " RETURN QUERY SELECT d.n::bigint FROM fn.d WHERE d.key < x; END IF; RETURN QUERY"
              + " SELECT max(d.key)::bigint FROM fn.d; END'",
          "CREATE FUNCTION fn.in_steps(x int) RETURNS text LANGUAGE plpgsql AS 'DECLARE total"
              + " numeric; few int; many int; half numeric := x; BEGIN half := half / 2; SELECT"
              + " count(*), max(e.v) INTO few, total FROM fn.e WHERE e.seq = x; SELECT sum(d.n)"
              + " INTO many FROM fn.d WHERE d.key > few; IF many > 100 AND few > 0 THEN total :="
              + " total + many; ELSIF x IS NULL THEN RETURN NULL; ELSE total := few; END IF; IF"
              + " EXISTS (SELECT FROM fn.d WHERE d.key = total::int) THEN DECLARE y int := few / 5;"
              + " BEGIN total := total + y; END; END IF; RETURN concat(total / 7, half, many);"
              + " END'",
          "CREATE FUNCTION fn.out_of(x int, OUT y numeric) LANGUAGE plpgsql STABLE AS 'BEGIN IF x <"
              + " 5 THEN y := (SELECT count(*) FROM fn.e WHERE e.key = x) / 2; END IF; END'",
          "CREATE FUNCTION fn.itself_or(x int) RETURNS int LANGUAGE plpgsql STABLE AS"
              + " 'BEGIN IF x IN (SELECT e.seq FROM fn.e) THEN RETURN x; END IF; x := -x; RETURN x;"
              + " END'",
          "CREATE FUNCTION fn.mistyped(x int) RETURNS SETOF bigint LANGUAGE plpgsql AS"
              + " 'BEGIN RETURN QUERY SELECT d.n FROM fn.d WHERE d.key < x; END'",
          "CREATE FUNCTION fn.looping(x int) RETURNS bigint LANGUAGE plpgsql AS"
              + " 'DECLARE s bigint := 0; r record; BEGIN FOR r IN SELECT * FROM fn.e WHERE e.key <"
              + " x LOOP s := s + r.seq; END LOOP; RETURN s; END'",
          "CREATE FUNCTION fn.found_some(x int) RETURNS int LANGUAGE plpgsql AS"
              + " 'DECLARE y int; BEGIN SELECT d.n INTO y FROM fn.d WHERE d.key = x; IF NOT FOUND"
              + " THEN RETURN -1; END IF; RETURN y; END'",
          "CREATE FUNCTION fn.one_of_many(x int) RETURNS int LANGUAGE plpgsql AS"
              + " 'DECLARE y int; z int; BEGIN SELECT e.key, e.seq INTO y, z FROM fn.e WHERE e.v >"
              + " x; RETURN y * z; END'",
          "CREATE FUNCTION fn.raising(x int) RETURNS int LANGUAGE plpgsql AS"
              + " 'BEGIN IF x > 3 THEN RAISE EXCEPTION ''too much''; END IF; RETURN (SELECT max(n)"
              + " FROM fn.d); END'",
          "CREATE FUNCTION fn.rows_of(x int) RETURNS SETOF fn.e STABLE LANGUAGE sql AS"
              + " 'SELECT * FROM fn.e WHERE e.seq = x'",
          "CREATE FUNCTION fn.tabled(x int) RETURNS TABLE (a int, b numeric) STABLE LANGUAGE sql AS"
              + " 'SELECT e.seq, e.v FROM fn.e WHERE e.key = x'",
          "CREATE FUNCTION fn.keys() RETURNS SETOF int STABLE LANGUAGE sql AS"
              + " 'SELECT key FROM fn.d'",
          "CREATE FUNCTION fn.either(x anyelement) RETURNS anyelement STABLE LANGUAGE sql AS"
              + " 'SELECT CASE WHEN EXISTS (SELECT FROM fn.d WHERE key = 3) THEN x END'",
          "CREATE FUNCTION fn.widened(x int) RETURNS bigint STABLE LANGUAGE sql AS"
              + " 'SELECT n FROM fn.d WHERE key = x'",
          "CREATE FUNCTION fn.of_row(x fn.d) RETURNS numeric STABLE LANGUAGE sql AS"
              + " 'SELECT max(v) + x.n FROM fn.e WHERE e.seq < x.key'",
          "CREATE FUNCTION fn.local(x int) RETURNS int STABLE LANGUAGE sql AS"
              + " 'SELECT v FROM fn.u WHERE id = x'",
          "CREATE FUNCTION fn.aggregate(x int) RETURNS int STABLE LANGUAGE sql AS"
              + " 'SELECT max(x) FROM fn.d'",
          "CREATE FUNCTION fn.by_owner(x int) RETURNS bigint STABLE SECURITY DEFINER LANGUAGE sql"
              + " AS 'SELECT count(*) FROM fn.d WHERE n > x'",
          "CREATE FUNCTION fn.with_setting(x int) RETURNS bigint STABLE SET work_mem = '1MB'"
              + " LANGUAGE sql AS 'SELECT count(*) FROM fn.d WHERE n > x'",
          "CREATE FUNCTION fn.random_of(x int) RETURNS float8 LANGUAGE sql AS"
              + " 'SELECT random() + count(*) FROM fn.d WHERE n > x'",
          "CREATE FUNCTION fn.strictly_one(x int) RETURNS int LANGUAGE plpgsql STABLE AS 'DECLARE y"
              + " int; BEGIN SELECT n INTO STRICT y FROM fn.d WHERE key >= x; RETURN y; EXCEPTION"
              + " WHEN no_data_found THEN RETURN -1; WHEN too_many_rows THEN RETURN -2; END'",
          "CREATE FUNCTION fn.each(x int) RETURNS SETOF fn.d LANGUAGE plpgsql AS 'DECLARE r fn.d; c"
              + " CURSOR FOR SELECT * FROM fn.d WHERE key > x ORDER BY key; BEGIN FOR r IN c LOOP"
              + " IF r.n % 2 = 0 THEN RETURN NEXT r; END IF; END LOOP; RETURN; END'",
          "CREATE FUNCTION fn.two(x int) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM fn.d;"
              + " SELECT sum(seq) FROM fn.e WHERE key <= x'",
          "CREATE FUNCTION fn.factorial(x int) RETURNS numeric STABLE LANGUAGE plpgsql AS 'BEGIN"
              + " PERFORM 1 FROM fn.e WHERE key = x; IF FOUND THEN RETURN x * fn.factorial(x - 1);"
              + " END IF; RETURN 1; END'",
          "CREATE FUNCTION fn.row_of(x int) RETURNS text LANGUAGE plpgsql AS 'DECLARE r record;"
              + " BEGIN SELECT d INTO r FROM fn.d d WHERE key = x; RETURN r::text; END'",
          "CREATE FUNCTION fn.dynamic(x int) RETURNS bigint LANGUAGE plpgsql AS 'DECLARE s bigint;"
              + " BEGIN EXECUTE ''SELECT count(*) FROM fn.e WHERE key = $1'' INTO s USING x; RETURN"
              + " s; END'",
          "CREATE FUNCTION fn.by_case(x int) RETURNS text LANGUAGE plpgsql AS 'DECLARE n bigint;"
              + " BEGIN CASE WHEN x > 5 THEN SELECT count(*) INTO n FROM fn.e; ELSE n := x; END"
              + " CASE; RETURN n; END'",
          "CREATE FUNCTION fn.writing(x int) RETURNS int LANGUAGE plpgsql AS 'BEGIN FOR i IN 1..2"
              + " LOOP UPDATE fn.d SET n = n + 1 WHERE key = x; END LOOP; RETURN x; END'",
          "CREATE FUNCTION fn.moving(x int) RETURNS int LANGUAGE plpgsql AS 'BEGIN EXECUTE ''DELETE"
              + " FROM fn.d''; RETURN 1; EXCEPTION WHEN OTHERS THEN RETURN (SELECT count(*) FROM"
              + " fn.d); END'",
          "CREATE FUNCTION fn.listening(x int) RETURNS int LANGUAGE plpgsql AS 'BEGIN LISTEN c;"
              + " RETURN (SELECT count(*) FROM fn.d); END'",
          "CREATE FUNCTION fn.hidden(x int) RETURNS bigint LANGUAGE plpgsql AS 'DECLARE s bigint;"
              + " BEGIN EXECUTE ''SELECT count(*) FROM fn.'' || chr(101) INTO s; RETURN s;"
              + " EXCEPTION WHEN OTHERS THEN RETURN 0; END'",
          "CREATE VIEW fn.totals AS SELECT key, fn.total(key) AS total FROM fn.d WHERE n > 20",
          "CREATE VIEW fn.over AS SELECT t.*, fn.local(t.key) AS l FROM fn.totals t");

  private static final List<String> PLACEMENTS =
      List.of(
          "SELECT create_distributed_table('fn.d', 'key')",
          "SELECT create_distributed_table('fn.e', 'key')",
          "SELECT create_reference_table('fn.r')");

  private static final List<String> ROWS =
      List.of(
          "INSERT INTO fn.d SELECT i, i * 5, 't' || i FROM generate_series(1, 15) i",
          "INSERT INTO fn.d VALUES (16, NULL, NULL)",
          "INSERT INTO fn.e SELECT i, j, i * j / 2.0 FROM generate_series(1, 12) i,"
              + " generate_series(1, 3) j",
          "INSERT INTO fn.r SELECT 'c' || i, i FROM generate_series(1, 4) i",
          "INSERT INTO fn.u SELECT i, i * 2 FROM generate_series(1, 6) i");

  private final TwinTables tables;
  private Twins twins;

  /** The test leaves the tables as they were made. */
  private boolean keeps;

  InlinedFunctionsIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    tables = new TwinTables(single, router, InlinedFunctionsIT::make, DROP);
  }

  private static void make(Twins twins) throws SQLException {
    twins.create(DROP, TABLES, PLACEMENTS);
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
        "SELECT key, fn.total(key) FROM fn.d ORDER BY 1",
        "SELECT key, fn.first_n(key + 1) FROM fn.d ORDER BY 1",
        "SELECT key, fn.strictly(n, key) FROM fn.d ORDER BY 1",
        "SELECT fn.strictly(NULL, 3), fn.strictly(1, 3)",
        "SELECT key FROM fn.d WHERE fn.atomic(key) > 3 AND fn.atomic(1, n) < 12 ORDER BY 1",
        "SELECT key, fn.returned(key), fn.nested(key) FROM fn.d ORDER BY 1",
        "SELECT key, fn.in_plpgsql(key), fn.into_variable(key + 2) FROM fn.d ORDER BY 1",
        "SELECT fn.in_plpgsql(7), fn.returned(2)",
        "SELECT fn.returned(2)",
        "SELECT * FROM fn.returned(2)",
        "SELECT d.key, x.* FROM fn.d, fn.rows_of(d.key) x ORDER BY 1, 2, 3",
        "SELECT * FROM fn.given(4) ORDER BY 1, 2",
        "SELECT d.key, x.* FROM fn.d, fn.given(d.key) x ORDER BY 1, 2, 3",
        "SELECT * FROM fn.either_rows(2) ORDER BY 1, 2",
        "SELECT * FROM fn.either_rows(NULL) ORDER BY 1, 2",
        "SELECT d.key, x.* FROM fn.d, fn.either_rows(d.key) x ORDER BY 1, 2, 3, 4",
        "SELECT d.key, x FROM fn.d, fn.numbers(d.key) x ORDER BY 1, 2",
        "SELECT * FROM fn.numbers(5) AS n(m) ORDER BY m",
        "SELECT key, fn.in_steps(key) FROM fn.d ORDER BY 1",
        "SELECT fn.in_steps(2), fn.in_steps(NULL)",
        "SELECT key, fn.out_of(key), fn.itself_or(key) FROM fn.d ORDER BY 1",
        "SELECT key, fn.total(fn.itself_or(key)) FROM fn.d WHERE fn.out_of(key) IS NULL ORDER BY 1",
        "SELECT * FROM fn.into_variable(999)",
        "SELECT d.key, x FROM fn.d, fn.into_variable(d.key + 9) x ORDER BY 1",
        "SELECT d.key, x FROM fn.d, fn.strictly(d.n, 3) AS s(x) ORDER BY 1",
        "SELECT d.key, x.a, x.b FROM fn.d LEFT JOIN LATERAL fn.tabled(d.key) x ON x.b > 3 ORDER BY"
            + " 1, 2",
        "SELECT x, count(*) FROM fn.keys() x JOIN fn.e ON e.seq = x GROUP BY x ORDER BY 1",
        "SELECT * FROM fn.keys() AS k(q) WHERE q > 5 ORDER BY 1",
        "SELECT keys FROM fn.keys() ORDER BY 1",
        "SELECT x FROM fn.rows_of(2) x ORDER BY 1",
        "SELECT (x).v, row_to_json(x)::text FROM fn.rows_of(2) x ORDER BY 1",
        "SELECT key, fn.either(t), fn.either(n) FROM fn.d ORDER BY 1",
        "SELECT key, fn.widened(key) FROM fn.d ORDER BY 1",
        "SELECT key, fn.of_row(d) FROM fn.d ORDER BY 1",
        "SELECT key, fn.local(key) FROM fn.d ORDER BY 1",
        "SELECT sum(fn.total(key)), fn.atomic(1) FROM fn.d",
        "SELECT f, count(*) FROM (SELECT fn.total(key / 3) AS f FROM fn.d) x GROUP BY f HAVING f IS"
            + " NULL OR count(*) > 1 ORDER BY f",
        "SELECT tableoid::regclass, key FROM fn.d ORDER BY 2",
        "SELECT tableoid::regclass::text, count(*) FROM fn.e GROUP BY 1",
        "SELECT key FROM fn.d ORDER BY fn.total(key) DESC NULLS LAST, key LIMIT 4",
        "SELECT key, rank() OVER (ORDER BY fn.total(key)) FROM fn.d ORDER BY 1",
        "SELECT key, fn.total(fn.into_variable(key) / 5) FROM fn.d ORDER BY 1",
        "SELECT CASE WHEN key > 5 THEN fn.total(key) END FROM fn.d ORDER BY key",
        "SELECT * FROM fn.totals ORDER BY 1",
        "SELECT * FROM fn.over ORDER BY 1",
        "SELECT count(*) FROM fn.over o JOIN fn.r ON r.v = o.l",
        "WITH w AS (SELECT key, fn.total(key) AS s FROM fn.d) SELECT a.key, b.s FROM w a JOIN w b"
            + " ON a.key = b.key + 1 ORDER BY 1",
        "SELECT key FROM fn.d WHERE key IN (SELECT fn.first_n(key) / 5 FROM fn.d) ORDER BY 1",
        "SELECT fn.total(key) FROM fn.d UNION SELECT fn.returned(key) FROM fn.d ORDER BY 1",
        "SELECT total FROM fn.d WHERE key = 1",
        "UPDATE fn.d SET n = fn.returned(key) WHERE fn.total(key) > 9",
        "UPDATE fn.d SET n = n + e.v FROM fn.tabled(4) e WHERE e.a = d.key",
        "DELETE FROM fn.e WHERE fn.into_variable(key) > 30",
        "INSERT INTO fn.e SELECT key + 100, fn.returned(key)::int, fn.total(key) FROM fn.d",
        "INSERT INTO fn.u SELECT key, fn.atomic(key)::int FROM fn.d",
        "CREATE TABLE fn.made AS SELECT key, fn.total(key) AS s FROM fn.d",
      })
  void aStatementAnswersAsOnOnePostgreSql(String sql) throws SQLException {
    keeps = sql.startsWith("SELECT") || sql.startsWith("WITH");
    twins.same(sql);
    for (String table : List.of("fn.d", "fn.e", "fn.u")) {
      twins.sameUnordered("SELECT * FROM " + table);
    }
    twins.same("BEGIN");
    twins.same("UPDATE fn.e SET v = v + 1 WHERE key = 3");
    twins.same(sql);
    twins.same("ROLLBACK");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "random_of",
        "writing",
        "moving",
        "listening",
        "hidden",
      })
  void whatDoesMoreThanReadIsRefused(String function) {
    String sql = "SELECT key, fn." + function + "(key) FROM fn.d ORDER BY 1";
    assertEquals(List.of(REFUSED), Twins.answer(twins.routed(), sql));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT key, fn.looping(key) FROM fn.d ORDER BY 1",
        "SELECT fn.looping(5), fn.found_some(3), fn.found_some(99)",
        "SELECT * FROM fn.looping(5)",
        "SELECT key, fn.found_some(key * 2) FROM fn.d WHERE fn.looping(key) > 20 ORDER BY 1",
        "SELECT key, fn.by_owner(key), fn.with_setting(key), fn.aggregate(key) FROM fn.d ORDER BY"
            + " 1",
        "SELECT key, fn.raising(key) FROM fn.d WHERE key < 3 ORDER BY 1",
        "SELECT key, fn.raising(key) FROM fn.d ORDER BY 1",
        "SELECT d.key, x FROM fn.d, fn.mistyped(d.key) x ORDER BY 1",
        "SELECT key, fn.strictly_one(key) FROM fn.d ORDER BY 1",
        "SELECT * FROM fn.each(9) ORDER BY 1",
        "SELECT u.id, e.* FROM fn.u JOIN fn.d ON d.key = u.id, fn.each(u.id + 10) e ORDER BY 1, 2",
        "SELECT key, fn.two(key), fn.total(key) FROM fn.d ORDER BY 1",
        "SELECT key, fn.factorial(key), fn.row_of(key) FROM fn.d WHERE key < 6 ORDER BY 1",
        "SELECT key, fn.dynamic(key), fn.by_case(key) FROM fn.d ORDER BY 1",
        "SELECT sum(fn.looping(id)) FROM fn.u",
        "SELECT fn.looping(key) AS \"A b\", 'x' FROM fn.d GROUP BY 1 HAVING count(*) > 0 ORDER BY"
            + " 1",
        "SELECT key, fn.looping(key) FROM fn.totals ORDER BY 1",
        "SELECT key FROM fn.d UNION SELECT fn.looping(v) FROM fn.r ORDER BY 1",
      })
  void aFunctionRunsOverTheRowsOfAllNodes(String sql) throws SQLException {
    keeps = true;
    twins.same(sql);
    twins.same("BEGIN");
    twins.same("UPDATE fn.e SET v = v + 1, seq = seq + 10 WHERE key = 3");
    twins.same("DELETE FROM fn.d WHERE key = 7");
    twins.same(sql);
    twins.same("ROLLBACK");
    twins.same("SELECT fn.looping(key) FROM fn.d WHERE key = 5 AND fn.looping(2) >= 0");
  }

  /** Plans that a session keeps for the body read the rows of one statement, and no later ones. */
  @Test
  void everyCallReadsTheRowsOfItsOwnStatement() {
    for (int i = 0; i < 8; i++) {
      twins.same("SELECT key, fn.looping(key), fn.found_some(key) FROM fn.d ORDER BY 1");
      twins.same("INSERT INTO fn.e VALUES (1, " + (10 + i) + ", 0)");
      twins.same("UPDATE fn.d SET n = n + 1");
    }
    twins.same("CREATE TEMP TABLE e (key int, seq int)");
    twins.same("SELECT key, fn.looping(key), fn.dynamic(key) FROM fn.d ORDER BY 1");
    twins.same("DROP TABLE e");
  }

  /** Rows that somebody makes up must not decide what a policy or a view shows of others. */
  @Test
  void nobodyReadsTablesBesideRowsOfHisOwn() {
    String over =
        "SELECT * FROM abelian.run_over('SELECT count(*) FROM fn.%s',"
            + " ARRAY['fn.d'::regclass]::oid[], ARRAY[0], ARRAY['(1,2,x)'], '{}', '{}') AS r(c"
            + " bigint)";
    assertEquals(List.of("1|"), Twins.answer(twins.routed(), over.formatted("d")));
    for (String table : List.of("e", "r", "u")) {
      assertEquals(List.of(REFUSED), Twins.answer(twins.routed(), over.formatted(table)));
      assertEquals(List.of(REFUSED), Twins.answer(twins.both().get(0), over.formatted(table)));
    }
  }

  @Test
  void aBodyWithTheRightsOfAnotherRoleReadsNothingThatWasGathered() {
    twins.same("DROP ROLE IF EXISTS fn_owner");
    twins.same("CREATE ROLE fn_owner");
    twins.same("GRANT USAGE ON SCHEMA fn TO fn_owner");
    twins.same("GRANT SELECT ON fn.e TO fn_owner");
    twins.same("ALTER FUNCTION fn.looping(int) SECURITY DEFINER");
    twins.same("SELECT key, fn.looping(key) FROM fn.d ORDER BY 1");
    twins.same("ALTER FUNCTION fn.looping(int) OWNER TO fn_owner");
    String sql = "SELECT key, fn.looping(key) FROM fn.d ORDER BY 1";
    assertEquals(List.of(REFUSED), Twins.answer(twins.routed(), sql));
    twins.same("DROP OWNED BY fn_owner");
    twins.same("DROP ROLE fn_owner");
  }

  @Test
  void aFunctionThatSeesWhatItsStatementChangesIsRefused() {
    String sql = "UPDATE fn.d SET n = fn.first_n(key)";
    assertEquals(List.of(REFUSED), Twins.answer(twins.routed(), sql));
  }

  @Test
  void parametersAreGivenToFunctions() throws SQLException {
    String sql = "SELECT key, fn.total(?), fn.strictly(?, key) FROM fn.d WHERE key < ? ORDER BY 1";
    List<List<String>> answers = new ArrayList<>();
    for (Connection connection : twins.both()) {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        List<String> answer = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
          statement.setInt(1, i);
          statement.setInt(2, i * 3);
          statement.setInt(3, 20 - i);
          try (ResultSet rows = statement.executeQuery()) {
            Twins.add(rows, answer);
          }
        }
        answers.add(answer);
      }
    }
    assertEquals(answers.get(0), answers.get(1));
  }

  @Test
  void aNewBodyCountsAtOnce() {
    String sql = "SELECT key, fn.total(key) FROM fn.d ORDER BY 1";
    twins.same(sql);
    twins.same(
        "CREATE OR REPLACE FUNCTION fn.total(x int) RETURNS numeric STABLE LANGUAGE sql AS"
            + " 'SELECT -max(v) FROM fn.e WHERE e.seq = x'");
    twins.same(sql);
    twins.same(
        "CREATE OR REPLACE FUNCTION fn.total(x int) RETURNS numeric STABLE SECURITY DEFINER"
            + " LANGUAGE sql AS 'SELECT -max(v) FROM fn.e WHERE e.seq = x'");
    twins.same(sql);
  }

  @Test
  void aRoleReadsNoMoreThanItMay() {
    twins.same("DROP ROLE IF EXISTS fn_reader");
    twins.same("CREATE ROLE fn_reader");
    twins.same("GRANT USAGE ON SCHEMA fn TO fn_reader");
    twins.same("GRANT SELECT ON fn.d, fn.totals TO fn_reader");
    List<String> statements =
        List.of(
            "SELECT key, fn.total(key) FROM fn.d ORDER BY 1",
            "SELECT key, fn.atomic(key) FROM fn.d ORDER BY 1",
            "SELECT count(*) FROM fn.rows_of(1)");
    asReader(statements);
    twins.same("GRANT SELECT (key, v) ON fn.e TO fn_reader");
    asReader(statements);
    twins.same("GRANT SELECT ON fn.e TO fn_reader");
    asReader(statements);
    twins.same("REVOKE EXECUTE ON FUNCTION fn.total(int) FROM public");
    asReader(statements);
    twins.same("GRANT EXECUTE ON FUNCTION fn.total(int) TO fn_reader");
    asReader(statements);
    twins.same("ALTER TABLE fn.e ENABLE ROW LEVEL SECURITY");
    asReader(statements);
    twins.same("CREATE POLICY some ON fn.e FOR SELECT TO fn_reader USING (seq = 1)");
    asReader(statements);
    twins.same("DROP OWNED BY fn_reader");
    twins.same("DROP ROLE fn_reader");
  }

  private void asReader(List<String> statements) {
    twins.same("SET ROLE fn_reader");
    statements.forEach(twins::same);
    twins.same("RESET ROLE");
    statements.forEach(twins::same);
  }
}
