package org.abelian.workloads.scatter;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.SplittableRandom;

/** What a client does again and again. */
enum Work {
  LOOKUP("lookup", "SELECT id, name, balance FROM bench_scatter WHERE name = ?"),
  RANGE("range", "SELECT id, name, balance FROM bench_scatter WHERE id BETWEEN ? AND ? + 99"),
  SUM("sum", "SELECT sum(balance), count(*) FROM bench_scatter"),
  TRANSFER("transfer", "UPDATE bench_scatter SET balance = balance + ? WHERE id = ?");

  private static final int AMOUNT_MAX = 100;

  private final String title;
  private final String sql;

  Work(String title, String sql) {
    this.title = title;
    this.sql = sql;
  }

  String title() {
    return title;
  }

  PreparedStatement prepare(Connection connection) throws SQLException {
    return connection.prepareStatement(sql);
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
        statement.setString(1, "n" + (1 + random.nextInt(rows)));
        expect(statement, 1);
      }
      case RANGE -> {
        int from = 1 + random.nextInt(rows - 99);
        statement.setInt(1, from);
        statement.setInt(2, from);
        expect(statement, 100);
      }
      case SUM -> sum(statement, rows);
      case TRANSFER -> {
        int amount = 1 + random.nextInt(AMOUNT_MAX);
        int one = 1 + random.nextInt(rows - 1);
        int other = one + 1 + random.nextInt(rows - one);
        add(statement, one, -amount);
        add(statement, other, amount);
        statement.getConnection().commit();
      }
    }
  }

  private static void add(PreparedStatement statement, int id, int amount) throws SQLException {
    statement.setInt(1, amount);
    statement.setInt(2, id);
    statement.executeUpdate();
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

  /** Transfers move nothing in or out of the total. */
  private static void sum(PreparedStatement statement, int rows) throws SQLException {
    try (ResultSet result = statement.executeQuery()) {
      result.next();
      if (result.getLong(1) != 0 || result.getLong(2) != rows) {
        throw new IllegalStateException("a torn read: the total is " + result.getLong(1));
      }
    }
  }
}
