package org.abelian.router.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** The waits of the nodes over JDBC. */
public final class JdbcWaitSource implements WaitSource {
  private static final String EDGES =
      "SELECT waiter_pid, waiter_session, (extract(epoch FROM waiter_xact_start) * 1000000)::int8,"
          + " waiter_query, coalesce(blocker_pid, 0), blocker_session, (extract(epoch FROM"
          + " blocker_xact_start) * 1000000)::int8, blocker_query, blocker_gid FROM"
          + " abelian.wait_edges()";

  private static final String CANCEL = "SELECT abelian.cancel_waiter(?, ?)";

  /** Of a node whose extension is older; it cancels no superusers. */
  private static final String CANCEL_AS_ROUTER =
      "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = ? AND wait_event_type ="
          + " 'Lock' AND (extract(epoch FROM xact_start) * 1000000)::int8 = ?";

  private static final String UNDEFINED_FUNCTION = "42883";

  private final NodeCalls calls;

  /** Over the given pools. */
  public JdbcWaitSource(NodeCalls calls) {
    this.calls = calls;
  }

  @Override
  public List<Integer> nodes() {
    return calls.nodes();
  }

  @Override
  public List<WaitEdge> edges(int node) throws NodeUnreachableException {
    return calls.all(
        node,
        EDGES,
        row ->
            new WaitEdge(
                node,
                new WaitingParty(
                    row.getInt(1), row.getString(2), row.getLong(3), row.getString(4), null),
                new WaitingParty(
                    row.getInt(5),
                    row.getString(6),
                    row.getLong(7),
                    row.getString(8),
                    row.getString(9))));
  }

  @Override
  public boolean cancel(int node, WaitingParty waiter) throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          try {
            return cancel(connection, CANCEL, waiter);
          } catch (SQLException e) {
            if (!UNDEFINED_FUNCTION.equals(e.getSQLState())) {
              throw e;
            }
            return cancel(connection, CANCEL_AS_ROUTER, waiter);
          }
        });
  }

  private static boolean cancel(Connection connection, String sql, WaitingParty waiter)
      throws SQLException {
    return NodeQueries.first(
            connection, sql, row -> row.getBoolean(1), waiter.pid(), waiter.transactionStart())
        .orElse(false);
  }
}
