package org.abelian.cluster.statements;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.harness.LocalNode;

/** What one PostgreSQL holds of the schemas that the cases work in, seen without the router. */
final class Replica implements AutoCloseable {
  /** All rows of all tables, `table|row`. */
  private static final String ROWS =
      """
      CREATE FUNCTION pg_temp.all_rows() RETURNS TABLE (relation text, line text) LANGUAGE plpgsql AS $$
      DECLARE
        found record;
      BEGIN
        FOR found IN
          SELECT c.oid, c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
           WHERE (n.nspname = 'w' OR n.nspname LIKE 'w\\_%') AND c.relkind IN ('r', 'm') AND c.relispopulated
        LOOP
          RETURN QUERY EXECUTE format('SELECT %L::text, x::text FROM ONLY %s x', found.name, found.name);
        END LOOP;
      END $$\
      """;

  /** All that changes moves the end of the log, but for ALTER SYSTEM. */
  private static final String POSITION =
      "SELECT pg_current_wal_insert_lsn() || pg_read_file('postgresql.auto.conf')";

  private static final String PLACEMENT =
      "SELECT relation::text, method, column_name FROM abelian.placement";

  private final Connection connection;

  /** Prepared, since planning it takes as long as running it. */
  private final PreparedStatement schema;

  private final PreparedStatement rows;

  private final PreparedStatement position;

  /** What {@link #POSITION} gave when the answers were taken that are kept. */
  private String known = "";

  private List<String> knownSchema = List.of();
  private Map<String, List<String>> knownRows = Map.of();

  Replica(LocalNode node) throws SQLException, IOException {
    connection = node.connectAsSuperuser();
    try (InputStream query = Replica.class.getResourceAsStream("/statements/schema.sql");
        Statement statement = connection.createStatement()) {
      statement.execute("SET search_path = pg_catalog");
      statement.execute("SET lock_timeout = '30s'");
      statement.execute(ROWS);
      schema =
          connection.prepareStatement(new String(query.readAllBytes(), StandardCharsets.UTF_8));
      rows = connection.prepareStatement("SELECT * FROM pg_temp.all_rows() ORDER BY 1, 2");
      position = connection.prepareStatement(POSITION);
    }
  }

  /** The major version. */
  int version() throws SQLException {
    return connection.getMetaData().getDatabaseMajorVersion();
  }

  /** What is defined, one line each, sorted. */
  List<String> schema() throws SQLException {
    refresh();
    return knownSchema;
  }

  /** The rows of each table that has any, sorted. */
  Map<String, List<String>> rows() throws SQLException {
    refresh();
    return knownRows;
  }

  /** Looks again if anything may have changed. */
  private void refresh() throws SQLException {
    String now = read(position.executeQuery(), 1).get(0)[0];
    if (now.equals(known)) {
      return;
    }
    List<String> lines = new ArrayList<>();
    for (String[] row : read(schema.executeQuery(), 1)) {
      lines.add(row[0]);
    }
    lines.sort(null);
    Map<String, List<String>> tables = new TreeMap<>();
    for (String[] row : read(rows.executeQuery(), 2)) {
      tables.computeIfAbsent(row[0], table -> new ArrayList<>()).add(row[1]);
    }
    known = now;
    knownSchema = lines;
    knownRows = tables;
  }

  /** The distribution column of each placed table; null for reference tables. */
  Map<String, String> placements() throws SQLException {
    Map<String, String> columns = new TreeMap<>();
    for (String[] row : query(PLACEMENT, 3)) {
      columns.put(row[0], row[2]);
    }
    return columns;
  }

  /** The distinct values of a column, with how many rows have each. */
  Map<String, Integer> counts(String table, String column) throws SQLException {
    Map<String, Integer> counts = new TreeMap<>();
    String sql = "SELECT %2$s, count(*) FROM ONLY %1$s GROUP BY 1".formatted(table, column);
    for (String[] row : query(sql, 2)) {
      counts.put(row[0], Integer.valueOf(row[1]));
    }
    return counts;
  }

  void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private List<String[]> query(String sql, int columns) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return read(statement.executeQuery(sql), columns);
    }
  }

  private static List<String[]> read(ResultSet answer, int columns) throws SQLException {
    List<String[]> found = new ArrayList<>();
    try (answer) {
      while (answer.next()) {
        String[] row = new String[columns];
        for (int i = 0; i < columns; i++) {
          row[i] = answer.getString(i + 1);
        }
        found.add(row);
      }
    }
    return found;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
