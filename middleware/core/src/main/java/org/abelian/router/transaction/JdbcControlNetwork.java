package org.abelian.router.transaction;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

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
    return calls.on(
        gid.holder(),
        connection -> {
          try (PreparedStatement statement =
              connection.prepareStatement("SELECT abelian.abort_decision(?)")) {
            statement.setString(1, gid.toString());
            try (ResultSet rows = statement.executeQuery()) {
              rows.next();
              return rows.getBoolean(1);
            }
          }
        });
  }

  @Override
  public Finish finish(int node, Gid gid, boolean commit) throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          try (Statement statement = connection.createStatement()) {
            String command = (commit ? "COMMIT" : "ROLLBACK") + " PREPARED '" + gid + "'";
            try {
              return finish(statement, command);
            } catch (SQLException refused) {
              if (!INSUFFICIENT_PRIVILEGE.equals(refused.getSQLState())) {
                throw refused;
              }
              return finishAsOwner(statement, gid, command);
            }
          }
        });
  }

  @Override
  public long laneClock(int node) throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          try (Statement statement = connection.createStatement();
              ResultSet row = statement.executeQuery("SELECT (abelian.independent_state())[2]")) {
            row.next();
            return row.getLong(1);
          }
        });
  }

  @Override
  public void advance(int node, LaneClock clock) throws NodeUnreachableException {
    calls.advance(node, clock);
  }

  private static Finish finish(Statement statement, String command) throws SQLException {
    try {
      statement.execute(command);
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
  private static Finish finishAsOwner(Statement statement, Gid gid, String command)
      throws SQLException {
    statement.execute(
        "SELECT set_config('role', owner, false) FROM pg_prepared_xacts WHERE gid = '" + gid + "'");
    try {
      return finish(statement, command);
    } finally {
      statement.execute("RESET ROLE");
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
        olderThan,
        limit);
  }

  @Override
  public List<Gid> stillPrepared(int node, Collection<Gid> gids) throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          try (PreparedStatement statement =
              connection.prepareStatement(
                  "SELECT gid FROM pg_prepared_xacts WHERE gid = ANY (?)")) {
            statement.setArray(1, texts(connection, gids));
            return read(statement);
          }
        });
  }

  @Override
  public List<Gid> commitDecisions(int holder, Duration olderThan, int limit)
      throws NodeUnreachableException {
    return gids(
        holder,
        "SELECT gid FROM abelian.decision WHERE committed AND decided_at <= clock_timestamp() - ? *"
            + " interval '1 ms' ORDER BY decided_at LIMIT ?",
        olderThan,
        limit);
  }

  @Override
  public void forget(int holder, Collection<Gid> gids) throws NodeUnreachableException {
    calls.on(
        holder,
        connection -> {
          try (PreparedStatement statement =
              connection.prepareStatement("SELECT abelian.forget_commits(?)")) {
            statement.setArray(1, texts(connection, gids));
            return statement.execute();
          }
        });
  }

  @Override
  public void forgetAborted(int holder, Duration olderThan) throws NodeUnreachableException {
    calls.on(
        holder,
        connection -> {
          try (PreparedStatement statement =
              connection.prepareStatement("SELECT abelian.forget_aborts(? * interval '1 ms')")) {
            statement.setLong(1, olderThan.toMillis());
            return statement.execute();
          }
        });
  }

  @Override
  public TransactionStatus outcome(int node, String token) throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          try (PreparedStatement statement =
              connection.prepareStatement("SELECT abelian.transaction_outcome(?)")) {
            statement.setString(1, token);
            try (ResultSet rows = statement.executeQuery()) {
              rows.next();
              return TransactionStatus.of(rows.getString(1));
            }
          }
        });
  }

  private List<Gid> gids(int node, String sql, Duration olderThan, int limit)
      throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, olderThan.toMillis());
            statement.setInt(2, limit);
            return read(statement);
          }
        });
  }

  private static List<Gid> read(PreparedStatement statement) throws SQLException {
    List<Gid> gids = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        Gid.parse(rows.getString(1)).ifPresent(gids::add);
      }
    }
    return gids;
  }

  private static Array texts(Connection connection, Collection<Gid> gids) throws SQLException {
    return connection.createArrayOf("text", gids.stream().map(Gid::toString).toArray());
  }
}
