package org.abelian.workloads.client;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.abelian.workloads.database.SqlStates;

/**
 * A client's connection: statements are prepared once, and each waits for the round trip of a
 * network. Without transactions a statement that meets a conflict is tried again by itself. Not
 * thread-safe.
 */
public final class Session implements AutoCloseable {
  private static final int MOST_TRIES = 100;

  private final Connection connection;
  private final Mode mode;
  private final long roundTripNanos;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();
  private long retried;

  /**
   * @param connection in autocommit mode; it is closed with the session
   * @param roundTrip waited for after each statement, and after COMMIT
   */
  public Session(Connection connection, Mode mode, Duration roundTrip) throws SQLException {
    this.connection = connection;
    this.mode = mode;
    this.roundTripNanos = roundTrip.toNanos();
    mode.begin(connection);
  }

  /** Whether several statements are whole or absent, and seen so. */
  public boolean hasTransactions() {
    return mode != Mode.AUTOCOMMIT;
  }

  /** Whether a transaction that changes rows shall be one call. */
  public boolean callsProcedures() {
    return mode == Mode.PROCEDURE;
  }

  /** Executes a CALL. */
  public void call(String sql, Object... parameters) throws SQLException {
    execute(sql, parameters, PreparedStatement::execute);
  }

  /** Executes a statement that changes rows; how many. */
  public int update(String sql, Object... parameters) throws SQLException {
    return execute(sql, parameters, PreparedStatement::executeUpdate);
  }

  /** Executes a statement that must change one row. */
  public void updateOne(String sql, Object... parameters) throws SQLException {
    int changed = update(sql, parameters);
    if (changed != 1) {
      throw new SQLException("%d rows instead of 1: %s".formatted(changed, sql), "P0002");
    }
  }

  /** Executes a statement that gives rows, and reads all of them. */
  public List<Object[]> rows(String sql, Object... parameters) throws SQLException {
    return execute(sql, parameters, Session::read);
  }

  /** Executes a statement that must give one row. */
  public Object[] row(String sql, Object... parameters) throws SQLException {
    List<Object[]> rows = rows(sql, parameters);
    if (rows.size() != 1) {
      throw new SQLException("%d rows instead of 1: %s".formatted(rows.size(), sql), "P0002");
    }
    return rows.get(0);
  }

  private static List<Object[]> read(PreparedStatement statement) throws SQLException {
    try (ResultSet result = statement.executeQuery()) {
      int columns = result.getMetaData().getColumnCount();
      List<Object[]> rows = new ArrayList<>();
      while (result.next()) {
        Object[] row = new Object[columns];
        for (int i = 0; i < columns; i++) {
          row[i] = result.getObject(i + 1);
        }
        rows.add(row);
      }
      return rows;
    }
  }

  /** A statement's execution. */
  @FunctionalInterface
  private interface Execution<T> {
    T run(PreparedStatement statement) throws SQLException;
  }

  private <T> T execute(String sql, Object[] parameters, Execution<T> execution)
      throws SQLException {
    PreparedStatement statement = bind(sql, parameters);
    for (int attempt = 1; ; attempt++) {
      try {
        T answer = execution.run(statement);
        travel();
        return answer;
      } catch (SQLException error) {
        if (hasTransactions() || attempt == MOST_TRIES || !SqlStates.isRetryable(error)) {
          throw error;
        }
        retried++;
        travel();
      }
    }
  }

  private PreparedStatement bind(String sql, Object[] parameters) throws SQLException {
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

  /** What has been done is there for all to see. */
  void commit() throws SQLException {
    if (mode.hasCommit()) {
      connection.commit();
      travel();
    }
  }

  void rollback() throws SQLException {
    if (mode.hasCommit()) {
      connection.rollback();
      travel();
    }
  }

  /** Statements that were tried again by themselves. */
  long retried() {
    return retried;
  }

  private void travel() {
    long end = System.nanoTime() + roundTripNanos;
    for (long left = roundTripNanos; left > 0; left = end - System.nanoTime()) {
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
      LockSupport.parkNanos(left);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
