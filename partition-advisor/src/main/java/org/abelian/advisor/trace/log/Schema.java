package org.abelian.advisor.trace.log;

import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.abelian.advisor.trace.TraceTable;

/** The tables of a database: columns, keys, and how wide rows are. */
final class Schema {
  private static final String TABLES =
      """
      SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
             coalesce(s.avg_width, nullif(a.attlen, -1), 16)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_stats s ON s.schemaname = n.nspname AND s.tablename = c.relname
                            AND s.attname = a.attname AND NOT s.inherited
       WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'abelian')
         AND n.nspname NOT LIKE 'pg\\_%'
       ORDER BY 1, 2, a.attnum
      """;

  private static final String KEYS =
      """
      SELECT n.nspname, c.relname, array_agg(a.attname ORDER BY k.place)
        FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN unnest(i.indkey) WITH ORDINALITY k(attnum, place) ON k.place <= i.indnkeyatts
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
       WHERE i.indisunique AND i.indexprs IS NULL
       GROUP BY 1, 2, i.indexrelid, i.indisprimary
       ORDER BY 1, 2, i.indisprimary DESC, i.indexrelid
      """;

  private static final String FOREIGN_KEYS =
      """
      SELECT n.nspname, c.relname, a.attname
        FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (f.conkey)
       WHERE f.contype = 'f'
      """;

  private static final Set<String> HASHABLE =
      Set.of("smallint", "integer", "bigint", "text", "character varying", "character", "uuid");

  private final Map<String, Table> tables = new LinkedHashMap<>();

  /** A table as it is in the catalogue. */
  private record Table(
      String schema,
      String name,
      Map<String, String> types,
      List<List<String>> keys,
      Set<String> attributes,
      long[] bytes) {}

  /** Reads the catalogue. */
  Schema(Connection database) throws SQLException {
    try (Statement statement = database.createStatement()) {
      try (ResultSet row = statement.executeQuery(TABLES)) {
        while (row.next()) {
          Table table = table(row);
          table.types().put(row.getString(3), row.getString(4));
          table.bytes()[0] += row.getLong(5);
        }
      }
      try (ResultSet row = statement.executeQuery(KEYS)) {
        while (row.next()) {
          Table table = tables.get(id(row));
          if (table == null) {
            continue;
          }
          Array columns = row.getArray(3);
          List<String> key =
              Arrays.stream((Object[]) columns.getArray()).map(String::valueOf).toList();
          table.keys().add(key);
          table.attributes().addAll(key);
        }
      }
      try (ResultSet row = statement.executeQuery(FOREIGN_KEYS)) {
        while (row.next()) {
          if (has(id(row))) {
            tables.get(id(row)).attributes().add(row.getString(3));
          }
        }
      }
    }
  }

  private Table table(ResultSet row) throws SQLException {
    String schema = row.getString(1);
    String name = row.getString(2);
    return tables.computeIfAbsent(
        schema + "." + name,
        fresh ->
            new Table(
                schema,
                name,
                new HashMap<>(),
                new ArrayList<>(),
                new LinkedHashSet<>(),
                new long[] {24}));
  }

  private static String id(ResultSet row) throws SQLException {
    return row.getString(1) + "." + row.getString(2);
  }

  /** Whether there is such a table. */
  boolean has(String table) {
    return tables.containsKey(table);
  }

  /** The type of a column, or null. */
  String type(String table, String column) {
    return tables.get(table).types().get(column);
  }

  /** Makes a column an attribute, since a WHERE clause names it. */
  void name(String table, String column) {
    if (tables.get(table).types().containsKey(column)) {
      tables.get(table).attributes().add(column);
    }
  }

  /**
   * Makes a column an attribute since rows are inserted with it, if the table has no key that could
   * place them. Columns of types that the router cannot hash stay out.
   */
  void insert(String table, String column) {
    String type = type(table, column);
    if (tables.get(table).keys().isEmpty()
        && type != null
        && HASHABLE.contains(type.replaceAll("\\(.*", ""))) {
      tables.get(table).attributes().add(column);
    }
  }

  /** Whether a column is an attribute. */
  boolean isAttribute(String table, String column) {
    return tables.get(table).attributes().contains(column);
  }

  /** The tables as a trace describes them. */
  List<TraceTable> described() {
    return tables.values().stream()
        .map(
            table ->
                new TraceTable(
                    table.schema(),
                    table.name(),
                    table.keys(),
                    table.attributes().stream()
                        .map(name -> new TraceTable.Attribute(name, table.types().get(name)))
                        .toList(),
                    table.bytes()[0]))
        .toList();
  }

  /** The same value has the same text, whatever the client wrote. */
  String canonical(String table, String column, String value) {
    String type = type(table, column);
    if (type == null || value == null) {
      return value;
    }
    if (type.startsWith("character(") || type.equals("bpchar")) {
      return value.stripTrailing();
    }
    if (type.equals("integer") || type.equals("bigint") || type.equals("smallint")) {
      String number = value.strip();
      number = number.startsWith("+") ? number.substring(1) : number;
      return number.matches("-?\\d+\\.0+") ? number.substring(0, number.indexOf('.')) : number;
    }
    return value;
  }
}
