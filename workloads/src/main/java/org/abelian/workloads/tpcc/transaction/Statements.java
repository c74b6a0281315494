package org.abelian.workloads.tpcc.transaction;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** Prepared statements of one connection, prepared on first use. Not thread-safe. */
public final class Statements {
  private final Connection connection;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();

  public Statements(Connection connection) {
    this.connection = connection;
  }

  Connection connection() {
    return connection;
  }

  /** The statement of a text with its parameters set. */
  PreparedStatement bind(String sql, Object... parameters) throws SQLException {
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      prepared.put(sql, statement);
    }
    for (int i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
    return statement;
  }

  /** Executes a statement that must change exactly {@code expected} rows. */
  void update(int expected, String sql, Object... parameters) throws SQLException {
    int changed = bind(sql, parameters).executeUpdate();
    if (changed != expected) {
      throw new UnexpectedRowsException(sql, expected, changed);
    }
  }
}
