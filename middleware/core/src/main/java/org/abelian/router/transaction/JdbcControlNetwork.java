package org.abelian.router.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The control network over JDBC. */
public final class JdbcControlNetwork implements ControlNetwork {
  private static final String UNDEFINED_OBJECT = "42704";
  private static final String NOT_IN_PREREQUISITE_STATE = "55000";
  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  private final NodeCalls calls;

  /** Over the given pools. */
  public JdbcControlNetwork(NodeCalls calls) {
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
  public boolean settle(Gid gid) throws NodeUnreachableException {
    return calls.one(
        gid.holder(), "SELECT abelian.abort_decision(?)", row -> row.getBoolean(1), gid.toString());
  }

  @Override
  public Finish finish(int node, Gid gid, boolean commit) throws NodeUnreachableException {
    String command = (commit ? "COMMIT" : "ROLLBACK") + " PREPARED '" + gid + "'";
    return calls.on(
        node,
        connection -> {
          try {
            return finish(connection, command);
          } catch (SQLException refused) {
            if (!INSUFFICIENT_PRIVILEGE.equals(refused.getSQLState())) {
              throw refused;
            }
            return finishAsOwner(connection, gid, command);
          }
        });
  }

  @Override
  public long laneClock(int node) throws NodeUnreachableException {
    return calls.one(node, "SELECT (abelian.independent_state())[2]", row -> row.getLong(1));
  }

  @Override
  public void advance(int node, LaneClock clock) throws NodeUnreachableException {
    calls.advance(node, clock);
  }

  private static Finish finish(Connection connection, String command) throws SQLException {
    try {
      NodeQueries.run(connection, command);
      return Finish.FINISHED;
    } catch (SQLException refused) {
      if (UNDEFINED_OBJECT.equals(refused.getSQLState())) {
        return Finish.ABSENT;
      }
      if (NOT_IN_PREREQUISITE_STATE.equals(refused.getSQLState())) {
        return Finish.BUSY;
      }
      throw refused;
    }
  }

  /** PostgreSQL lets only superusers and the role that prepared a transaction finish it. */
  private static Finish finishAsOwner(Connection connection, Gid gid, String command)
      throws SQLException {
    NodeQueries.run(
        connection,
        "SELECT set_config('role', owner, false) FROM pg_prepared_xacts WHERE gid = ?",
        gid.toString());
    try {
      return finish(connection, command);
    } finally {
      NodeQueries.run(connection, "RESET ROLE");
    }
  }

  @Override
  public List<Gid> prepared(int node, Duration olderThan, int limit)
      throws NodeUnreachableException {
    return gids(
        node,
        "SELECT gid FROM pg_prepared_xacts WHERE database = current_database() AND gid LIKE"
            + " 'abelian:%' AND prepared <= clock_timestamp() - ? * interval '1 ms' ORDER BY"
            + " prepared LIMIT ?",
        olderThan.toMillis(),
        limit);
  }

  @Override
  public List<Gid> stillPrepared(int node, Collection<Gid> gids) throws NodeUnreachableException {
    return gids(node, "SELECT gid FROM pg_prepared_xacts WHERE gid = ANY (?)", texts(gids));
  }

  @Override
  public List<Gid> commitDecisions(int holder, Duration olderThan, int limit)
      throws NodeUnreachableException {
    return gids(
        holder,
        "SELECT gid FROM abelian.decision WHERE committed AND decided_at <= clock_timestamp() - ? *"
            + " interval '1 ms' ORDER BY decided_at LIMIT ?",
        olderThan.toMillis(),
        limit);
  }

  @Override
  public void forget(int holder, Collection<Gid> gids) throws NodeUnreachableException {
    calls.run(holder, "SELECT abelian.forget_commits(?)", texts(gids));
  }

  @Override
  public void forgetAborted(int holder, Duration olderThan) throws NodeUnreachableException {
    calls.run(holder, "SELECT abelian.forget_aborts(? * interval '1 ms')", olderThan.toMillis());
  }

  @Override
  public TransactionStatus outcome(int node, String token) throws NodeUnreachableException {
    return calls.one(
        node,
        "SELECT abelian.transaction_outcome(?)",
        row -> TransactionStatus.of(row.getString(1)),
        token);
  }

  private List<Gid> gids(int node, String sql, Object... parameters)
      throws NodeUnreachableException {
    return calls.all(node, sql, row -> Gid.parse(row.getString(1)), parameters).stream()
        .flatMap(Optional::stream)
        .toList();
  }

  private static Object texts(Collection<Gid> gids) {
    return NodeQueries.array("text", gids.stream().map(Gid::toString).toList());
  }
}
