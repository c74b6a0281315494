package org.abelian.router.transaction.independent;

import java.sql.Connection;
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
import org.abelian.router.transaction.NodeQueries;
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
    return calls.one(
        node,
        "SELECT s[1], s[2], s[3], "
            + LaneExecution.IS_UPDATED
            + " FROM abelian.independent_state() s",
        row ->
            new LaneState(row.getLong(1), row.getLong(2), row.getLong(3) != 0, row.getBoolean(4)));
  }

  @Override
  public LaneProgress progress(int node) throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          LaneProgress progress =
              NodeQueries.one(
                  connection,
                  "SELECT run, at, id FROM abelian.independent_lane",
                  rows -> new LaneProgress(rows.getLong(1), rows.getLong(2), rows.getString(3)));
          NodeQueries.run(connection, FLUSH);
          return progress;
        });
  }

  @Override
  public Optional<Fragment> freeze(int node, String id) throws NodeUnreachableException {
    return fragments(node, "SELECT * FROM abelian.independent_freeze(?)", id).stream().findFirst();
  }

  @Override
  public void cancel(int node, String id) throws NodeUnreachableException {
    calls.run(node, "SELECT abelian.independent_cancel(?)", id);
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
                parameters(fragment)));
  }

  @Override
  public List<PendingTransaction> pending(int node, Duration olderThan)
      throws NodeUnreachableException {
    return calls.all(
        node,
        "SELECT * FROM unnest(abelian.independent_pending(?))",
        row -> pending(row.getString(1)),
        olderThan.toMillis());
  }

  private static PendingTransaction pending(String line) {
    int space = line.indexOf(' ');
    return new PendingTransaction(
        line.substring(0, space),
        Stream.of(line.substring(space + 1).split(",")).map(Integer::valueOf).toList());
  }

  @Override
  public long unblock(int node, Duration waitingFor) throws NodeUnreachableException {
    return calls.one(
        node,
        "SELECT abelian.independent_unblock(? * interval '1 ms')",
        row -> row.getLong(1),
        waitingFor.toMillis());
  }

  @Override
  public long beginRun(int node) throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          // Two transactions: the number is on disk before it is used.
          long number =
              NodeQueries.one(
                  connection, "SELECT abelian.independent_next_run()", rows -> rows.getLong(1));
          return NodeQueries.one(
              connection,
              "SELECT abelian.independent_begin_run(?)",
              rows -> rows.getLong(1),
              number);
        });
  }

  @Override
  public List<Fragment> executed(int peer, int node, long run, LaneProgress progress)
      throws NodeUnreachableException {
    return fragments(
        peer,
        "SELECT * FROM abelian.independent_executed(?, ?, ?, ?)",
        node,
        run,
        progress.at(),
        progress.id());
  }

  @Override
  public Optional<String> catchUp(int node, long run, Fragment fragment)
      throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          List<Object> parameters = new ArrayList<>();
          parameters.add(run);
          parameters.addAll(Arrays.asList(parameters(fragment)));
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
    return calls.one(node, "SELECT abelian.independent_open(?)", row -> row.getBoolean(1), run);
  }

  @Override
  public void forget(int node, Collection<String> ids) throws NodeUnreachableException {
    calls.run(node, "SELECT abelian.independent_forget(?)", NodeQueries.array("text", ids));
  }

  @Override
  public void sweep(int node, Duration olderThan, List<Integer> nodes, List<LaneProgress> lanes)
      throws NodeUnreachableException {
    calls.run(
        node,
        "SELECT abelian.independent_sweep(? * interval '1 ms', ?, ?, ?)",
        olderThan.toMillis(),
        NodeQueries.array("int4", nodes),
        NodeQueries.array("int8", lanes.stream().map(LaneProgress::at).toList()),
        NodeQueries.array("text", lanes.stream().map(LaneProgress::id).toList()));
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
    NodeQueries.run(connection, "BEGIN ISOLATION LEVEL READ COMMITTED");
    try {
      claimed = NodeQueries.one(connection, claim, rows -> rows.getBoolean(1), parameters);
      if (claimed) {
        execution.run();
      }
      NodeQueries.run(connection, "COMMIT");
      NodeQueries.run(connection, FLUSH);
      return Optional.empty();
    } catch (SQLException failed) {
      String state = String.valueOf(failed.getSQLState());
      NodeQueries.run(connection, "ROLLBACK");
      if (!claimed || PASSING.stream().anyMatch(state::startsWith)) {
        throw failed;
      }
      return Optional.of(execution.failure(state + " " + failed.getMessage()));
    }
  }

  private static Object[] parameters(Fragment fragment) {
    return new Object[] {
      fragment.id(),
      fragment.at(),
      NodeQueries.array("int4", fragment.participants()),
      fragment.intent(),
      fragment.role(),
      fragment.failure()
    };
  }

  private List<Fragment> fragments(int node, String sql, Object... parameters)
      throws NodeUnreachableException {
    return calls.all(
        node,
        sql,
        row ->
            new Fragment(
                row.getString("id"),
                row.getLong("at"),
                List.of((Integer[]) row.getArray("participants").getArray()),
                row.getString("intent"),
                row.getString("role"),
                row.getString("failure")),
        parameters);
  }
}
