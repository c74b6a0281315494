package org.abelian.histories.copies;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Two schemas with the same tables and functions, which differ in the types of columns. */
public final class Twins implements AutoCloseable {
  private static final List<String> SCHEMAS = List.of("plain", "parts");

  /** By schema: the types of likes, total and best. */
  private static final List<List<String>> TYPES =
      List.of(
          List.of("bigint", "numeric", "bigint"),
          List.of("abelian.counter", "abelian.decimal_counter", "abelian.max"));

  private static final List<String> COLUMNS = List.of("likes", "total", "best");

  private final Connection connection;
  private final Statement statement;

  /** Makes the schemas anew. */
  public Twins(Connection connection) throws SQLException {
    this.connection = connection;
    statement = connection.createStatement();
    statement.execute("SET client_min_messages = warning");
    for (int schema = 0; schema < SCHEMAS.size(); schema++) {
      create(schema);
    }
  }

  private void create(int schema) throws SQLException {
    String name = SCHEMAS.get(schema);
    List<String> types = TYPES.get(schema);
    statement.execute("DROP SCHEMA IF EXISTS " + name + " CASCADE");
    statement.execute("CREATE SCHEMA " + name);
    enter(name);
    statement.execute(
        "CREATE TABLE page (id int PRIMARY KEY, gone text, likes %s, total %s, best %s, note text)"
            .formatted(types.toArray()));
    statement.execute("ALTER TABLE page DROP COLUMN gone");
    for (int column = 0; column < types.size(); column++) {
      String type = types.get(column);
      String suffix = "_" + COLUMNS.get(column);
      function("same" + suffix + "(x " + type + ")", type, "sql STABLE AS 'SELECT x'");
      function("kept" + suffix + "(x " + type + ")", type, "plpgsql AS 'BEGIN RETURN x; END'");
      function(
          "both" + suffix + "(x " + type + ", y " + type + ")",
          type + "[]",
          "sql STABLE AS 'SELECT ARRAY[x, y]'");
    }
    function("same_row(x page)", "page", "sql STABLE AS 'SELECT x'");
    function("kept_row(x page)", "page", "plpgsql AS 'DECLARE y page := x; BEGIN RETURN y; END'");
  }

  private void function(String head, String result, String body) throws SQLException {
    statement.execute("CREATE FUNCTION %s RETURNS %s LANGUAGE %s".formatted(head, result, body));
  }

  private void enter(String schema) throws SQLException {
    statement.execute("SET search_path = " + schema);
  }

  /** Executes statements over both. */
  public void execute(List<String> texts) throws SQLException {
    for (String schema : SCHEMAS) {
      enter(schema);
      for (String text : texts) {
        statement.execute(text.replace("SCHEMA", schema));
      }
    }
  }

  /** Drops what one trial has made, and fills the tables anew. */
  public void clear() throws SQLException {
    statement.execute("CLOSE ALL");
    statement.execute("DISCARD PLANS");
    statement.execute("DEALLOCATE ALL");
    execute(
        List.of(
            "DROP VIEW IF EXISTS v",
            "DROP MATERIALIZED VIEW IF EXISTS m",
            "DROP ROUTINE IF EXISTS f CASCADE",
            "DROP TABLE IF EXISTS k, kept_SCHEMA",
            "DROP TABLE IF EXISTS shape CASCADE",
            "DELETE FROM page",
            "INSERT INTO page SELECT i, i, i, i, repeat('long ', 1000 * (i - 1)) FROM"
                + " generate_series(1, 4) i"));
  }

  /** The text of the copy over plain columns, and over the others. */
  public List<String> copies(boolean inCursor) throws SQLException {
    return List.of(copy(SCHEMAS.get(0), inCursor), copy(SCHEMAS.get(1), inCursor));
  }

  private String copy(String schema, boolean inCursor) throws SQLException {
    return inCursor
        ? cursor("held_" + schema)
        : text("SELECT string_agg(k::text, E'\\n' ORDER BY k::text) FROM %s.k".formatted(schema));
  }

  private String text(String query) throws SQLException {
    try (ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return "" + rows.getString(1);
    }
  }

  private String cursor(String name) throws SQLException {
    statement.execute("MOVE ABSOLUTE 0 IN " + name);
    List<String> lines = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery("FETCH ALL FROM " + name)) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        StringBuilder line = new StringBuilder();
        for (int column = 1; column <= columns; column++) {
          line.append(rows.getString(column)).append('|');
        }
        lines.add(line.toString());
      }
    }
    Collections.sort(lines);
    return String.join("\n", lines);
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
