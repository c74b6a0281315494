package org.abelian.histories.run;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.abelian.histories.program.Column;
import org.abelian.histories.program.Row;

/**
 * The table that histories run over. Every history has keys of its own, so histories follow each
 * other without cleaning up and the table grows as tables do.
 */
public final class Table {
  /** Distance between the keys of two histories. */
  private static final long KEYS_PER_HISTORY = 10;

  private final String name;

  private Table(String name) {
    this.name = name;
  }

  /** Creates the table with Abelian or with plain column types. */
  public static Table create(Connection connection, String name, boolean abelian)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS " + name);
      statement.execute(
          "CREATE TABLE %s (id bigint PRIMARY KEY, status text, note bigint, c %s, d %s)"
              .formatted(
                  name,
                  abelian ? "abelian.counter" : "bigint",
                  abelian ? "abelian.decimal_counter" : "numeric"));
    }
    return new Table(name);
  }

  public String name() {
    return name;
  }

  public static long offset(long history) {
    return history * KEYS_PER_HISTORY;
  }

  /** Inserts and commits the rows with which a history begins. */
  public void fill(Connection connection, List<Row> rows, long offset) throws SQLException {
    String sql = "INSERT INTO " + name + " (id, status, note, c, d) VALUES (?, ?, ?, ?, ?)";
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      for (Row row : rows) {
        insert.setLong(1, row.id() + offset);
        insert.setString(2, (String) row.get(Column.STATUS));
        insert.setLong(3, row.number(Column.NOTE).longValueExact());
        insert.setLong(4, row.number(Column.COUNTER).longValueExact());
        insert.setBigDecimal(5, row.number(Column.DECIMAL));
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  /**
   * Operates once on the counters of a history. Before its first operation a counter has no
   * identity under which it could be split.
   */
  void touch(Connection connection, long offset) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "UPDATE %s SET c = c + 0, d = d + 0 WHERE id BETWEEN %d AND %d"
              .formatted(name, offset, offset + KEYS_PER_HISTORY - 1));
    }
  }
}
