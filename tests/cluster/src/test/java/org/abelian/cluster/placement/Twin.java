package org.abelian.cluster.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.postgresql.PGConnection;

/** Does the same on one PostgreSQL and through the router, and compares what they say. */
final class Twin {
  /** What is done on a connection; gives what it said. */
  @FunctionalInterface
  interface Work {
    Object on(Connection connection) throws SQLException, IOException;
  }

  private final Connection plain;
  private final Connection routed;

  Twin(Connection plain, Connection routed) {
    this.plain = plain;
    this.routed = routed;
  }

  /** A statement; rows may come in any order. */
  void run(String sql) throws SQLException, IOException {
    both(sql, connection -> said(connection, sql));
  }

  /** A statement with values. */
  void run(String sql, Object... values) throws SQLException, IOException {
    both(
        sql + " " + List.of(values),
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int at = 0; at < values.length; at++) {
              statement.setObject(at + 1, values[at]);
            }
            return said(statement, statement.execute());
          }
        });
  }

  void copy(String sql, String data) throws SQLException, IOException {
    both(
        sql,
        connection ->
            connection.unwrap(PGConnection.class).getCopyAPI().copyIn(sql, new StringReader(data)));
  }

  private void both(String what, Work work) throws SQLException, IOException {
    assertEquals(outcome(plain, work), outcome(routed, work), what);
  }

  private static Object outcome(Connection connection, Work work) throws IOException {
    try {
      return work.on(connection);
    } catch (SQLException e) {
      return "SQLSTATE " + e.getSQLState();
    }
  }

  private static Object said(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return said(statement, statement.execute(sql));
    }
  }

  private static Object said(Statement statement, boolean isQuery) throws SQLException {
    if (!isQuery) {
      return statement.getUpdateCount();
    }
    List<String> lines = new ArrayList<>();
    try (ResultSet rows = statement.getResultSet()) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        List<String> line = new ArrayList<>();
        for (int at = 1; at <= columns; at++) {
          // The driver has no text for a bytea.
          byte[] bytes =
              rows.getMetaData().getColumnType(at) == Types.BINARY ? rows.getBytes(at) : null;
          line.add(bytes == null ? rows.getString(at) : Arrays.toString(bytes));
        }
        lines.add(line.toString());
      }
    }
    lines.sort(null);
    return lines;
  }
}
