package org.abelian.histories.run;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.abelian.histories.program.Column;
import org.abelian.histories.program.Row;
import org.abelian.histories.program.SqlText;
import org.abelian.histories.program.Statement.Insert;
import org.abelian.histories.program.Statement.OnConflict;

/**
 * The table that histories run over. Every history has keys of its own, so histories follow each
 * other without cleaning up and the table grows as tables do.
 */
public final class Table {
  /** Distance between the keys of two histories. */
  private static final long KEYS_PER_HISTORY = 10;

  /** What the functions of collections mean over plain columns. */
  private static final List<String> PLAIN =
      List.of(
          "CREATE SCHEMA IF NOT EXISTS plain",
          plain("add(text[], text) RETURNS text[]")
              + "'SELECT array(SELECT DISTINCT x FROM unnest($1 || $2) x ORDER BY x)'",
          plain("remove(text[], text) RETURNS text[]") + "'SELECT array_remove($1, $2)'",
          plain("contains(text[], text) RETURNS boolean") + "'SELECT $2 = ANY ($1)'",
          plain("size(text[]) RETURNS bigint") + "'SELECT cardinality($1)'",
          plain("add(jsonb, text, numeric) RETURNS jsonb")
              + "'SELECT $1 || jsonb_build_object($2, coalesce(($1 ->> $2)::numeric, 0) + $3)'",
          plain("put(jsonb, text, numeric) RETURNS jsonb")
              + "'SELECT $1 || jsonb_build_object($2, $3)'",
          plain("remove(jsonb, text) RETURNS jsonb") + "'SELECT $1 - $2'",
          plain("contains(jsonb, text) RETURNS boolean") + "'SELECT jsonb_exists($1, $2)'",
          plain("put(jsonb, text, text) RETURNS jsonb")
              + "'SELECT $1 || jsonb_build_object($2, $3)'",
          plain("add(jsonb, text, bigint) RETURNS jsonb")
              + "'SELECT $1 || jsonb_build_object($2, coalesce(($1 ->> $2)::bigint, 0) + $3)'",
          plain("remove(jsonb, text, bigint) RETURNS jsonb")
              + "'SELECT CASE WHEN ($1 ->> $2)::bigint > $3"
              + " THEN $1 || jsonb_build_object($2, ($1 ->> $2)::bigint - $3)"
              + " ELSE $1 - $2 END'");

  private final String name;
  private final String functions;

  private Table(String name, String functions) {
    this.name = name;
    this.functions = functions;
  }

  private static String plain(String signature) {
    return "CREATE OR REPLACE FUNCTION plain." + signature + " LANGUAGE sql IMMUTABLE AS ";
  }

  /** Creates the table with Abelian or with plain column types. */
  public static Table create(Connection connection, String name, boolean abelian)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS " + name);
      statement.execute(
          "CREATE TABLE %s (id bigint PRIMARY KEY, %s)"
              .formatted(
                  name,
                  Stream.of(Column.values())
                      .map(column -> column.definition(abelian))
                      .collect(Collectors.joining(", "))));
      if (!abelian) {
        for (String definition : PLAIN) {
          statement.execute(definition);
        }
      }
    }
    return new Table(name, abelian ? "abelian" : "plain");
  }

  /** The command that makes the functions of the table's columns known. */
  public String searchPath() {
    return "SET search_path = public, " + functions;
  }

  public String name() {
    return name;
  }

  public static long offset(long history) {
    return history * KEYS_PER_HISTORY;
  }

  /** Inserts and commits the rows with which a history begins. */
  public void fill(Connection connection, List<Row> rows, long offset) throws SQLException {
    SqlText text = new SqlText(name, offset);
    try (Statement statement = connection.createStatement()) {
      for (Row row : rows) {
        statement.execute(text.render(new Insert(row, OnConflict.FAIL, List.of())));
      }
    }
  }

  /**
   * Operates once on the Abelian columns of a history, without changing a value. Before its first
   * operation an object has no identity under which it could be split.
   */
  void touch(Connection connection, long offset) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          ("UPDATE %s SET c = c + 0, d = d + 0, m = greatest(m, 0), s = abelian.add(s, NULL),"
                  + " z = abelian.remove(z, ''), b = abelian.remove(b, '', 1),"
                  + " e = abelian.remove(e, '') WHERE id BETWEEN %d AND %d")
              .formatted(name, offset, offset + KEYS_PER_HISTORY - 1));
    }
  }
}
