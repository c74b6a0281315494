package org.abelian.advisor.applied;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.List;

/** Runs statements and transactions over a connection, one after the other. */
final class Client {
  private final Connection connection;
  private int callsOfOneNode;

  Client(Connection connection) {
    this.connection = connection;
  }

  /** Each by itself. */
  void run(List<String> commands) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String command : commands) {
        statement.execute(command);
      }
    }
  }

  /**
   * A transaction.
   *
   * @param block with BEGIN and COMMIT even if it has a single statement
   */
  void run(Transaction transaction, boolean block) throws SQLException {
    connection.setAutoCommit(!block && transaction.steps().size() == 1);
    for (Step step : transaction.steps()) {
      run(step);
    }
    if (!connection.getAutoCommit()) {
      connection.commit();
    }
  }

  private void run(Step step) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(step.sql())) {
      for (int at = 0; at < step.values().size(); at++) {
        statement.setObject(at + 1, step.values().get(at));
      }
      statement.execute();
      SQLWarning notice = statement.getWarnings();
      if (notice != null && notice.getMessage().contains("all keys of the call are on node")) {
        callsOfOneNode++;
      }
    }
  }

  /** How many calls the router has said to be of one node, which it counts. */
  int callsOfOneNode() {
    return callsOfOneNode;
  }
}
