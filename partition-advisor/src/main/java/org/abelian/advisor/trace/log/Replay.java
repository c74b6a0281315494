package org.abelian.advisor.trace.log;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.trace.Access;
import org.abelian.advisor.trace.TraceTable;

/**
 * Looks up in a copy of the database which rows an access means that names only a part of the key,
 * and what else they have. The equalities of the WHERE clause are replayed, other conditions are
 * not.
 */
final class Replay {
  /** Rows of one access; more make no difference to where it would best go. */
  private static final int MOST_ROWS = 50;

  private static final int MOST_KNOWN = 100_000;

  private final Connection copy;
  private final Map<String, TraceTable> tables;
  private final Map<String, List<Map<String, String>>> known =
      new LinkedHashMap<>(1024, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, List<Map<String, String>>> eldest) {
          return size() > MOST_KNOWN;
        }
      };

  Replay(Connection copy, Map<String, TraceTable> tables) {
    this.copy = copy;
    this.tables = tables;
  }

  /** The accesses of the rows that the copy has; the access itself when it has none. */
  List<Access> of(Access access) {
    TraceTable table = tables.get(access.table());
    if (access.values().isEmpty() || table.attributes().isEmpty()) {
      return List.of(access);
    }
    List<Map<String, String>> rows =
        known.computeIfAbsent(
            access.table() + access.values(), fresh -> rows(table, access.values()));
    if (rows.isEmpty()) {
      return List.of(access);
    }
    List<Access> found = new ArrayList<>();
    for (Map<String, String> row : rows) {
      found.add(
          new Access(
              access.step(),
              access.table(),
              row,
              access.bound(),
              access.write(),
              access.commutes(),
              access.retyped(),
              access.dependsOn(),
              access.decides()));
    }
    return found;
  }

  private List<Map<String, String>> rows(TraceTable table, Map<String, String> values) {
    String columns =
        table.attributes().stream()
            .map(attribute -> quoted(attribute.name()) + "::text")
            .collect(Collectors.joining(", "));
    String where =
        values.keySet().stream()
            .map(column -> quoted(column) + " = CAST(? AS " + type(table, column) + ")")
            .collect(Collectors.joining(" AND "));
    String sql =
        "SELECT "
            + columns
            + " FROM "
            + quoted(table.schema())
            + "."
            + quoted(table.name())
            + " WHERE "
            + where
            + " LIMIT "
            + MOST_ROWS;
    List<Map<String, String>> rows = new ArrayList<>();
    try (PreparedStatement query = copy.prepareStatement(sql)) {
      int number = 1;
      for (String value : values.values()) {
        query.setString(number++, value);
      }
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          Map<String, String> found = new LinkedHashMap<>();
          for (int i = 0; i < table.attributes().size(); i++) {
            if (row.getString(i + 1) != null) {
              found.put(table.attributes().get(i).name(), row.getString(i + 1));
            }
          }
          rows.add(found);
        }
      }
    } catch (SQLException e) {
      throw new AdvisorException("the copy refuses " + sql + ": " + e.getMessage(), e);
    }
    return rows;
  }

  private static String type(TraceTable table, String column) {
    return table.attributes().get(table.place(column)).type();
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }
}
