package org.abelian.workloads.router;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A statement that one row answers. */
enum Operation {
  SELECT("SELECT v, filler FROM bench_router WHERE k = ?") {
    @Override
    void execute(PreparedStatement statement, int key) throws SQLException {
      statement.setInt(1, key);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("no row has key " + key, "P0002");
        }
        row.getLong(1);
        row.getString(2);
      }
    }
  },
  /** The row is found by a lookup index, which has to know its node. */
  LOOKUP("SELECT v, filler FROM bench_router_lookup WHERE alias = ?") {
    @Override
    void execute(PreparedStatement statement, int key) throws SQLException {
      statement.setString(1, alias(key));
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("no row has alias " + alias(key), "P0002");
        }
        row.getLong(1);
        row.getString(2);
      }
    }
  },
  UPDATE("UPDATE bench_router SET v = v + 1 WHERE k = ?") {
    @Override
    void execute(PreparedStatement statement, int key) throws SQLException {
      statement.setInt(1, key);
      if (statement.executeUpdate() != 1) {
        throw new SQLException("no row has key " + key, "P0002");
      }
    }
  };

  private final String sql;

  Operation(String sql) {
    this.sql = sql;
  }

  /** By what the row with that key is looked up. */
  static String alias(int key) {
    return "row-" + key;
  }

  String sql() {
    return sql;
  }

  /** Executes the statement in autocommit mode. */
  abstract void execute(PreparedStatement statement, int key) throws SQLException;
}
