package org.abelian.router.transaction.independent;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.abelian.router.transaction.LaneClock;
import org.abelian.router.transaction.NodeCalls;
import org.abelian.router.transaction.NodeUnreachableException;

/** The lanes' network over JDBC. */
public final class JdbcLaneNetwork implements LaneNetwork {
  /** Classes of errors that may pass: conflicts, resources, the operator, the system. */
  private static final List<String> PASSING = List.of("08", "40", "53", "55", "57", "58");

  private static final String FLUSH = "SELECT abelian.independent_flush()";

  private final NodeCalls calls;

  /** Over the given pools. */
  public JdbcLaneNetwork(NodeCalls calls) {
    this.calls = calls;
  }

  @Override
  public List<Integer> nodes() {
    return calls.nodes();
  }

  @Override
  public String describe(int node) {
    return calls.describe(node);
  }

  @Override
  public LaneState state(int node) throws NodeUnreachableException {
    return calls.on(
        node,
        connection ->
            one(
                connection,
                "SELECT s[1], s[2], s[3], "
                    + LaneExecution.IS_UPDATED
                    + " FROM abelian.independent_state() s",
                rows ->
                    new LaneState(
                        rows.getLong(1),
                        rows.getLong(2),
                        rows.getLong(3) != 0,
                        rows.getBoolean(4))));
  }

  @Override
  public LaneProgress progress(int node) throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          LaneProgress progress =
              one(
                  connection,
                  "SELECT run, at, id FROM abelian.independent_lane",
                  rows -> new LaneProgress(rows.getLong(1), rows.getLong(2), rows.getString(3)));
          run(connection, FLUSH);
          return progress;
        });
  }

  @Override
  public Optional<Fragment> freeze(int node, String id) throws NodeUnreachableException {
    return calls.on(
        node,
        connection ->
            fragments(connection, "SELECT * FROM abelian.independent_freeze(?)", id).stream()
                .findFirst());
  }

  @Override
  public void cancel(int node, String id) throws NodeUnreachableException {
    calls.on(node, connection -> run(connection, "SELECT abelian.independent_cancel(?)", id));
  }

  @Override
  public Optional<String> complete(int node, Fragment fragment) throws NodeUnreachableException {
    return calls.on(
        node,
        connection ->
            execute(
                connection,
                node,
                fragment,
                "SELECT abelian.independent_complete(?, ?, ?, ?, ?, ?)",
                parameters(connection, fragment)));
  }

  @Override
  public List<PendingTransaction> pending(int node, Duration olderThan)
      throws NodeUnreachableException {
    return calls.on(
        node,
        connection ->
            all(
                connection,
                "SELECT * FROM unnest(abelian.independent_pending(?))",
                rows -> pending(rows.getString(1)),
                olderThan.toMillis()));
  }

  private static PendingTransaction pending(String line) {
    int space = line.indexOf(' ');
    return new PendingTransaction(
        line.substring(0, space),
        Stream.of(line.substring(space + 1).split(",")).map(Integer::valueOf).toList());
  }

  @Override
  public long unblock(int node, Duration waitingFor) throws NodeUnreachableException {
    return calls.on(
        node,
        connection ->
            one(
                connection,
                "SELECT abelian.independent_unblock(? * interval '1 ms')",
                rows -> rows.getLong(1),
                waitingFor.toMillis()));
  }

  @Override
  public long beginRun(int node) throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          // Two transactions: the number is on disk before it is used.
          long number =
              one(connection, "SELECT abelian.independent_next_run()", rows -> rows.getLong(1));
          return one(
              connection,
              "SELECT abelian.independent_begin_run(?)",
              rows -> rows.getLong(1),
              number);
        });
  }

  @Override
  public List<Fragment> executed(int peer, int node, long run, LaneProgress progress)
      throws NodeUnreachableException {
    return calls.on(
        peer,
        connection ->
            fragments(
                connection,
                "SELECT * FROM abelian.independent_executed(?, ?, ?, ?)",
                node,
                run,
                progress.at(),
                progress.id()));
  }

  @Override
  public Optional<String> catchUp(int node, long run, Fragment fragment)
      throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          List<Object> parameters = new ArrayList<>();
          parameters.add(run);
          parameters.addAll(Arrays.asList(parameters(connection, fragment)));
          return execute(
              connection,
              node,
              fragment,
              "SELECT abelian.independent_catch_up(?, ?, ?, ?, ?, ?, ?)",
              parameters.toArray());
        });
  }

  @Override
  public void advance(int node, long timestamp) throws NodeUnreachableException {
    calls.advance(node, new LaneClock(timestamp));
  }

  @Override
  public boolean open(int node, long run) throws NodeUnreachableException {
    return calls.on(
        node,
        connection ->
            one(connection, "SELECT abelian.independent_open(?)", rows -> rows.getBoolean(1), run));
  }

  @Override
  public void forget(int node, Collection<String> ids) throws NodeUnreachableException {
    calls.on(
        node,
        connection ->
            run(
                connection,
                "SELECT abelian.independent_forget(?)",
                connection.createArrayOf("text", ids.toArray())));
  }

  @Override
  public void sweep(int node, Duration olderThan, List<Integer> nodes, List<LaneProgress> lanes)
      throws NodeUnreachableException {
    calls.on(
        node,
        connection ->
            run(
                connection,
                "SELECT abelian.independent_sweep(? * interval '1 ms', ?, ?, ?)",
                olderThan.toMillis(),
                connection.createArrayOf("int4", nodes.toArray()),
                connection.createArrayOf("int8", lanes.stream().map(LaneProgress::at).toArray()),
                connection.createArrayOf("text", lanes.stream().map(LaneProgress::id).toArray())));
  }

  /**
   * A transaction that claims the fragment's place, and runs those calls that have not failed
   * before.
   */
  private static Optional<String> execute(
      Connection connection, int node, Fragment fragment, String claim, Object... parameters)
      throws SQLException {
    LaneExecution execution = new LaneExecution(connection, node, fragment);
    execution.requireUpdated();
    boolean claimed = false;
    run(connection, "BEGIN ISOLATION LEVEL READ COMMITTED");
    try {
      claimed = one(connection, claim, rows -> rows.getBoolean(1), parameters);
      if (claimed) {
        execution.run();
      }
      run(connection, "COMMIT");
      run(connection, FLUSH);
      return Optional.empty();
    } catch (SQLException failed) {
      String state = String.valueOf(failed.getSQLState());
      run(connection, "ROLLBACK");
      if (!claimed || PASSING.stream().anyMatch(state::startsWith)) {
        throw failed;
      }
      return Optional.of(execution.failure(state + " " + failed.getMessage()));
    }
  }

  private static Object[] parameters(Connection connection, Fragment fragment) throws SQLException {
    return new Object[] {
      fragment.id(),
      fragment.at(),
      connection.createArrayOf("int4", fragment.participants().toArray()),
      fragment.intent(),
      fragment.role(),
      fragment.failure()
    };
  }

  private static List<Fragment> fragments(Connection connection, String sql, Object... parameters)
      throws SQLException {
    return all(
        connection,
        sql,
        rows ->
            new Fragment(
                rows.getString("id"),
                rows.getLong("at"),
                Stream.of((Integer[]) rows.getArray("participants").getArray()).toList(),
                rows.getString("intent"),
                rows.getString("role"),
                rows.getString("failure")),
        parameters);
  }

  /** Reads a row. */
  @FunctionalInterface
  private interface Reader<T> {
    T read(ResultSet rows) throws SQLException;
  }

  private static <T> T one(
      Connection connection, String sql, Reader<T> reader, Object... parameters)
      throws SQLException {
    List<T> found = all(connection, sql, reader, parameters);
    if (found.size() != 1) {
      throw new SQLException("one row expected, " + found.size() + " came: " + sql);
    }
    return found.get(0);
  }

  private static <T> List<T> all(
      Connection connection, String sql, Reader<T> reader, Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, parameters);
      List<T> found = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          found.add(reader.read(rows));
        }
      }
      return found;
    }
  }

  private static boolean run(Connection connection, String sql, Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, parameters);
      return statement.execute();
    }
  }

  private static void bind(PreparedStatement statement, Object... parameters) throws SQLException {
    for (int i = 0; i < parameters.length; i++) {
      Object value = parameters[i];
      if (value instanceof Array array) {
        statement.setArray(i + 1, array);
      } else if (value instanceof Long number) {
        statement.setLong(i + 1, number);
      } else if (value instanceof Integer number) {
        statement.setInt(i + 1, number);
      } else {
        statement.setString(i + 1, (String) value);
      }
    }
  }
}
