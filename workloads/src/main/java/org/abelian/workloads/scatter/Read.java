package org.abelian.workloads.scatter;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
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
   * @param parts the prepared statement; where nobody puts the nodes' rows together, that of each
   *     node
   * @param rows of the table
   * @throws IllegalStateException when what was read cannot be right
   */
  void execute(List<PreparedStatement> parts, SplittableRandom random, int rows)
      throws SQLException {
    switch (this) {
      case LOOKUP -> {
        String name = name(1 + random.nextInt(rows));
        for (PreparedStatement part : parts) {
          part.setString(1, name);
        }
        expect(parts, 1);
      }
      case RANGE -> {
        int from = 1 + random.nextInt(rows - 99);
        for (PreparedStatement part : parts) {
          part.setInt(1, from);
          part.setInt(2, from);
        }
        expect(parts, 100);
      }
      case SUM -> sum(parts, rows);
    }
  }

  /** What the row of a key is looked up by. */
  static String name(int key) {
    return "n" + key;
  }

  private static void expect(List<PreparedStatement> parts, int expected) throws SQLException {
    int count = 0;
    for (PreparedStatement part : parts) {
      try (ResultSet result = part.executeQuery()) {
        while (result.next()) {
          count++;
        }
      }
    }
    if (count != expected) {
      throw new IllegalStateException("%d rows instead of %d".formatted(count, expected));
    }
  }

  /**
   * Transfers move nothing in or out of the totals. Answers that nobody made fit together may show
   * one half-way.
   */
  private static void sum(List<PreparedStatement> parts, int rows) throws SQLException {
    long[] totals = new long[3];
    for (PreparedStatement part : parts) {
      try (ResultSet result = part.executeQuery()) {
        result.next();
        for (int column = 0; column < totals.length; column++) {
          totals[column] += result.getLong(column + 1);
        }
      }
    }
    boolean torn = parts.size() == 1 && (totals[0] != 0 || totals[1] != 0);
    if (torn || totals[2] != rows) {
      throw new IllegalStateException(
          "a torn read: the totals are %d and %d of %d rows"
              .formatted(totals[0], totals[1], totals[2]));
    }
  }
}
