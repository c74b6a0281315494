package org.abelian.cluster.commit;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.abelian.harness.LocalNode;
import org.abelian.router.transaction.Answer;
import org.abelian.router.transaction.Participant;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.util.PSQLException;

/** A part of a transaction on a connection of the plain driver, in its simple query mode. */
final class JdbcParticipant implements Participant, AutoCloseable {
  private final int nodeId;
  private final Connection connection;
  private final Deque<Answer> answers = new ArrayDeque<>();
  private boolean lost;

  JdbcParticipant(int nodeId, LocalNode node, String session) throws SQLException {
    this.nodeId = nodeId;
    this.connection =
        DriverManager.getConnection(
            node.jdbcUrl() + "?preferQueryMode=simple", LocalNode.USER, LocalNode.USER);
    execute("SET abelian.session = '" + session + "'");
    execute("SET abelian.placement_version = 2147483647");
  }

  /** Runs a statement of the transaction. */
  void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The token that the node reported. */
  String token() throws SQLException {
    return connection.unwrap(BaseConnection.class).getParameterStatus("abelian.transaction_id");
  }

  @Override
  public int nodeId() {
    return nodeId;
  }

  @Override
  public void send(String sql) {
    answers.add(run(sql));
  }

  private Answer run(String sql) {
    if (lost) {
      return new Answer.Lost("lost before");
    }
    try {
      boolean open = inTransaction();
      execute(sql);
      boolean failedCommit = open && sql.startsWith("PREPARE") && !isPrepared(sql);
      return new Answer.Done(failedCommit ? "ROLLBACK" : tag(sql));
    } catch (PSQLException failed) {
      if (failed.getServerErrorMessage() == null
          || !"ERROR".equals(failed.getServerErrorMessage().getSeverity())) {
        lost = true;
        return new Answer.Lost(failed.getMessage());
      }
      return new Answer.Failed(
          failed.getSQLState(),
          failed.getMessage(),
          failed.getServerErrorMessage().getConstraint(),
          failed);
    } catch (SQLException failed) {
      lost = true;
      return new Answer.Lost(failed.getMessage());
    }
  }

  private boolean isPrepared(String prepare) throws SQLException {
    String gid = prepare.substring(prepare.indexOf('\''));
    try (Statement statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT 1 FROM pg_prepared_xacts WHERE gid = " + gid)) {
      return rows.next();
    }
  }

  private static String tag(String sql) {
    if (sql.endsWith("COMMIT")) {
      return "COMMIT";
    }
    int quote = sql.indexOf(" '");
    return quote < 0 ? sql : sql.substring(0, quote);
  }

  @Override
  public Answer await(Duration limit) {
    return answers.remove();
  }

  @Override
  public boolean inTransaction() {
    try {
      return !lost
          && connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
    } catch (SQLException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
