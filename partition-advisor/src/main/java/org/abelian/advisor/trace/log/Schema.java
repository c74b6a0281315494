package org.abelian.advisor.trace.log;

import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.abelian.advisor.trace.KeyType;
import org.abelian.advisor.trace.TraceDescription;
import org.abelian.advisor.trace.TraceTable;

/** The tables of a database: columns, keys, and how wide rows are. */
final class Schema {
  private static final String TABLES =
      """
      SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
             coalesce(s.avg_width, nullif(a.attlen, -1), 16), a.attnotnull
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
      SELECT n.nspname, c.relname, coalesce(array_agg(a.attname ORDER BY k.place) FILTER (WHERE a.attname IS NOT NULL), '{}')
        FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN unnest(i.indkey) WITH ORDINALITY k(attnum, place) ON k.place <= i.indnkeyatts
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum AND k.attnum > 0
       WHERE i.indisunique
       GROUP BY 1, 2, i.indexrelid, i.indisprimary, i.indexprs IS NULL AND i.indpred IS NULL
       ORDER BY 1, 2, i.indisprimary DESC, i.indexprs IS NULL AND i.indpred IS NULL DESC, i.indexrelid
      """;

  private static final String FOREIGN_KEYS =
      """
      SELECT n.nspname, c.relname, f.conname, m.nspname || '.' || o.relname,
             array_agg(a.attname ORDER BY k.place), array_agg(b.attname ORDER BY k.place)
        FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_class o ON o.oid = f.confrelid JOIN pg_namespace m ON m.oid = o.relnamespace
        JOIN unnest(f.conkey, f.confkey) WITH ORDINALITY k(mine, other, place) ON true
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.mine
        JOIN pg_attribute b ON b.attrelid = o.oid AND b.attnum = k.other
       WHERE f.contype = 'f' AND f.conparentid = 0
       GROUP BY f.oid, 1, 2, 3, 4
       ORDER BY 1, 2, 3
      """;

  private static final String PRESENT =
      """
      SELECT n.nspname, c.relname, p.column_name, p.method
        FROM abelian.placement p JOIN pg_class c ON c.oid = p.relation JOIN pg_namespace n ON n.oid = c.relnamespace
      """;

  private final Map<String, String> present = new HashMap<>();
  private final Set<String> notNull = new HashSet<>();
  private boolean placedByRules;
  private final Map<String, Table> tables = new LinkedHashMap<>();

  /** A table as it is in the catalogue. */
  private record Table(
      String schema,
      String name,
      Map<String, String> types,
      List<List<String>> keys,
      Set<String> attributes,
      List<TraceTable.ForeignKey> foreignKeys,
      long[] bytes) {}

  /** Reads the catalogue. */
  Schema(Connection database) throws SQLException {
    try (Statement statement = database.createStatement()) {
      try (ResultSet row = statement.executeQuery(TABLES)) {
        while (row.next()) {
          Table table = table(row);
          table.types().put(row.getString(3), row.getString(4));
          table.bytes()[0] += row.getLong(5);
          if (row.getBoolean(6)) {
            notNull.add(table.schema() + "." + table.name() + "." + row.getString(3));
          }
        }
      }
      try (ResultSet row = statement.executeQuery(KEYS)) {
        while (row.next()) {
          Table table = tables.get(id(row));
          if (table == null) {
            continue;
          }
          List<String> key = names(row.getArray(3));
          table.keys().add(key);
          table.attributes().addAll(key);
        }
      }
      try (ResultSet row = statement.executeQuery(FOREIGN_KEYS)) {
        while (row.next()) {
          if (has(id(row))) {
            Table table = tables.get(id(row));
            List<String> columns = names(row.getArray(5));
            table.attributes().addAll(columns);
            table
                .foreignKeys()
                .add(
                    new TraceTable.ForeignKey(
                        row.getString(3), columns, row.getString(4), names(row.getArray(6))));
          }
        }
      }
    }
  }

  private static List<String> names(Array array) throws SQLException {
    return Arrays.stream((Object[]) array.getArray()).map(String::valueOf).toList();
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
                new ArrayList<>(),
                new long[] {24}));
  }

  /** Reads where the tables of a cluster lie; only a database with the extension can be asked. */
  void readPresent(Connection database) throws SQLException {
    try (Statement statement = database.createStatement();
        ResultSet row = statement.executeQuery(PRESENT)) {
      while (row.next()) {
        String column = row.getString(3);
        placedByRules |= !Set.of("hash", "reference").contains(row.getString(4));
        present.put(id(row), column == null ? TraceDescription.REFERENCE : column);
        if (column != null) {
          name(id(row), column);
        }
      }
    }
  }

  /** Where tables lie, as a trace describes it; null when none is placed, or it cannot say. */
  Map<String, String> present() {
    return present.isEmpty() || placedByRules ? null : present;
  }

  /** Whether a table is placed otherwise than by the hash of one column. */
  boolean placedByRules() {
    return placedByRules;
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
    if (tables.get(table).keys().isEmpty() && type != null && KeyType.of(type) != null) {
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
                    table.attributes().stream().map(name -> attribute(table, name)).toList(),
                    table.foreignKeys(),
                    table.bytes()[0]))
        .toList();
  }

  private TraceTable.Attribute attribute(Table table, String name) {
    return new TraceTable.Attribute(
        name,
        table.types().get(name),
        !notNull.contains(table.schema() + "." + table.name() + "." + name));
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
