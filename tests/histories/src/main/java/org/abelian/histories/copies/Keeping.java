package org.abelian.histories.copies;

import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A way of keeping what expressions give: statements that leave it in table {@code k}, or in a
 * cursor. In them QUERY is the query that gives it for each row of {@code page}, COLUMNS what it
 * selects, OLD_COLUMNS and NEW_COLUMNS the same of a trigger's rows, ASSIGNED assigns it to the
 * columns of {@code k}, and SCHEMA is the schema's name.
 */
enum Keeping {
  TABLE("CREATE TABLE k AS QUERY"),
  TEMPORARY("CREATE TEMP TABLE kept_SCHEMA AS QUERY", "CREATE TABLE k AS TABLE kept_SCHEMA"),
  INSERTED("CREATE TABLE k AS QUERY WITH NO DATA", "INSERT INTO k QUERY"),
  COMMON_TABLE("CREATE TABLE k AS WITH x AS MATERIALIZED (QUERY) SELECT * FROM x"),
  WHOLE("CREATE TABLE shape AS QUERY", "CREATE TABLE k AS SELECT shape FROM shape"),
  UPDATED(
      "CREATE TABLE k AS SELECT p.id AS n, x.* FROM page p, LATERAL (SELECT COLUMNS) x WITH NO"
          + " DATA",
      "INSERT INTO k (n) SELECT id FROM page",
      "UPDATE k SET ASSIGNED FROM page p WHERE p.id = k.n"),
  MERGED(
      "CREATE TABLE k AS SELECT p.id AS n, x.* FROM page p, LATERAL (SELECT COLUMNS) x WITH NO"
          + " DATA",
      "INSERT INTO k (n) SELECT id FROM page",
      "MERGE INTO k USING page p ON p.id = k.n WHEN MATCHED THEN UPDATE SET ASSIGNED"),
  VIEW("CREATE VIEW v AS QUERY", "CREATE TABLE k AS TABLE v"),
  MATERIALIZED_VIEW(
      "CREATE MATERIALIZED VIEW m AS QUERY",
      "REFRESH MATERIALIZED VIEW m",
      "CREATE TABLE k AS TABLE m"),
  PREPARED("PREPARE q AS QUERY", "CREATE TABLE k AS EXECUTE q", "DEALLOCATE q"),
  INLINED(
      "CREATE TABLE shape AS QUERY WITH NO DATA",
      "CREATE FUNCTION f() RETURNS SETOF shape LANGUAGE sql STABLE BEGIN ATOMIC QUERY; END",
      "CREATE TABLE k AS SELECT * FROM f()"),
  QUOTED(
      "CREATE TABLE shape AS QUERY WITH NO DATA",
      "CREATE FUNCTION f() RETURNS SETOF shape LANGUAGE sql STABLE AS $f$ QUERY $f$",
      "CREATE TABLE k AS SELECT f AS r FROM f()"),
  RETURNED(
      "CREATE TABLE shape AS QUERY WITH NO DATA",
      "CREATE FUNCTION f() RETURNS SETOF shape LANGUAGE plpgsql AS $f$ DECLARE r shape; BEGIN"
          + " FOR r IN QUERY LOOP RETURN NEXT r; END LOOP; END $f$",
      "CREATE TABLE k AS SELECT * FROM f()"),
  REMEMBERED(
      "CREATE TABLE k (content text)",
      "CREATE PROCEDURE f() LANGUAGE plpgsql AS $f$ DECLARE r record; s record; BEGIN SELECT x INTO"
          + " r FROM (QUERY) x ORDER BY x::text LIMIT 1; s := r; COMMIT; UPDATE page SET likes ="
          + " likes + 1000; COMMIT; UPDATE page SET likes = likes + 1000, best = greatest(best,"
          + " 5000); INSERT INTO k VALUES (r::text), (s::text); END $f$",
      "CALL f()",
      "DROP PROCEDURE f()"),
  TRIGGERED(
      "CREATE TABLE k AS QUERY WITH NO DATA",
      "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN INSERT INTO k SELECT"
          + " OLD_COLUMNS; INSERT INTO k SELECT NEW_COLUMNS; RETURN NULL; END $f$",
      "CREATE TRIGGER t AFTER UPDATE ON page FOR EACH ROW EXECUTE FUNCTION f()",
      "UPDATE page SET likes = likes + 1, note = 'changed' WHERE id <= 2",
      "UPDATE page SET total = 7, best = greatest(best, 77) WHERE id = 3",
      "DROP FUNCTION f() CASCADE"),
  HELD("DECLARE held_SCHEMA SCROLL CURSOR WITH HOLD FOR QUERY");

  private final List<String> statements;

  Keeping(String... statements) {
    this.statements = List.of(statements);
  }

  /** Whether what is kept is in a cursor. */
  boolean isCursor() {
    return this == HELD;
  }

  /** The statements, with random expressions. */
  List<String> statements(Random random) {
    long seed = random.nextLong();
    Function<String, String> columns = row -> named(expressions(seed, row), "%s AS %s");
    String selected = columns.apply("p");
    return statements.stream()
        .map(
            statement ->
                statement
                    .replace("OLD_COLUMNS", columns.apply("OLD"))
                    .replace("NEW_COLUMNS", columns.apply("NEW"))
                    .replace("ASSIGNED", named(expressions(seed, "p"), "%2$s = %1$s"))
                    .replace("QUERY", "SELECT " + selected + " FROM page p")
                    .replace("COLUMNS", selected))
        .toList();
  }

  /** The same expressions for every name of the row. */
  private static List<String> expressions(long seed, String row) {
    return new Expressions(new Random(seed), row).several();
  }

  private static String named(List<String> expressions, String format) {
    return IntStream.range(0, expressions.size())
        .mapToObj(n -> format.formatted(expressions.get(n), (char) ('a' + n)))
        .collect(Collectors.joining(", "));
  }
}
