package org.abelian.router.transaction;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Queries over a control connection: values go in, rows come out as what they stand for. */
public final class NodeQueries {
  private NodeQueries() {}

  /** Reads the row that is current. */
  @FunctionalInterface
  public interface Reader<T> {
    /** Reads it. */
    T read(ResultSet row) throws SQLException;
  }

  /** A value that is an array. */
  private record ArrayValue(String type, Object[] elements) {}

  /** A parameter that is an array of that type of PostgreSQL's. */
  public static Object array(String type, Collection<?> elements) {
    return new ArrayValue(type, elements.toArray());
  }

  /** The one row of a query that has one. */
  public static <T> T one(Connection connection, String sql, Reader<T> reader, Object... parameters)
      throws SQLException {
    List<T> found = all(connection, sql, reader, parameters);
    if (found.size() != 1) {
      throw new SQLException("one row expected, " + found.size() + " came: " + sql);
    }
    return found.get(0);
  }

  /** The first row, if there is any. */
  public static <T> Optional<T> first(
      Connection connection, String sql, Reader<T> reader, Object... parameters)
      throws SQLException {
    return all(connection, sql, reader, parameters).stream().findFirst();
  }

  /** All rows, in their order. */
  public static <T> List<T> all(
      Connection connection, String sql, Reader<T> reader, Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, parameters);
        ResultSet rows = statement.executeQuery()) {
      List<T> found = new ArrayList<>();
      while (rows.next()) {
        found.add(reader.read(rows));
      }
      return found;
    }
  }

  /** Runs a statement of which nobody wants to know more than that it succeeded. */
  public static void run(Connection connection, String sql, Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, parameters)) {
      statement.execute();
    }
  }

  private static PreparedStatement prepare(Connection connection, String sql, Object... parameters)
      throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    try {
      for (int i = 0; i < parameters.length; i++) {
        bind(statement, i + 1, parameters[i]);
      }
      return statement;
    } catch (SQLException failed) {
      statement.close();
      throw failed;
    }
  }

  private static void bind(PreparedStatement statement, int at, Object value) throws SQLException {
    if (value instanceof ArrayValue array) {
      Connection connection = statement.getConnection();
      statement.setArray(at, connection.createArrayOf(array.type(), array.elements()));
    } else if (value == null) {
      statement.setString(at, null);
    } else {
      statement.setObject(at, value);
    }
  }
}
