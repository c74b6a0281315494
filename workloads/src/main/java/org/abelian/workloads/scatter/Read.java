package org.abelian.workloads.scatter;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.SplittableRandom;

/** A read that needs all nodes. */
enum Read {
  LOOKUP("lookup", "SELECT id, name, bal, n FROM %s WHERE name = ?"),
  RANGE("range", "SELECT id, name, bal, n FROM %s WHERE id BETWEEN ? AND ? + 99"),
  SUM("sum", "SELECT sum(bal), sum(n), count(*) FROM %s");

  private final String title;
  private final String sql;

  Read(String title, String sql) {
    this.title = title;
    this.sql = sql;
  }

  String title() {
    return title;
  }

  PreparedStatement prepare(Connection connection, String table) throws SQLException {
    return connection.prepareStatement(sql.formatted(table));
  }

  /**
   * Does it once.
   *
   * @param rows of the table
   * @throws IllegalStateException when what was read cannot be right
   */
  void execute(PreparedStatement statement, SplittableRandom random, int rows) throws SQLException {
    switch (this) {
      case LOOKUP -> {
        statement.setString(1, name(1 + random.nextInt(rows)));
        expect(statement, 1);
      }
      case RANGE -> {
        int from = 1 + random.nextInt(rows - 99);
        statement.setInt(1, from);
        statement.setInt(2, from);
        expect(statement, 100);
      }
      case SUM -> sum(statement, rows);
    }
  }

  /** What the row of a key is looked up by. */
  static String name(int key) {
    return "n" + key;
  }

  private static void expect(PreparedStatement statement, int expected) throws SQLException {
    int count = 0;
    try (ResultSet result = statement.executeQuery()) {
      while (result.next()) {
        count++;
      }
    }
    if (count != expected) {
      throw new IllegalStateException("%d rows instead of %d".formatted(count, expected));
    }
  }

  /** Transfers move nothing in or out of the totals. */
  private static void sum(PreparedStatement statement, int rows) throws SQLException {
    try (ResultSet result = statement.executeQuery()) {
      result.next();
      if (result.getLong(1) != 0 || result.getLong(2) != 0 || result.getLong(3) != rows) {
        throw new IllegalStateException(
            "a torn read: the totals are %s and %s of %s rows"
                .formatted(result.getString(1), result.getString(2), result.getString(3)));
      }
    }
  }
}
