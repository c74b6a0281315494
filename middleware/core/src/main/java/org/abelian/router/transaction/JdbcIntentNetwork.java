package org.abelian.router.transaction;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.postgresql.util.PSQLException;

/** The dialogue about intents over JDBC. */
public final class JdbcIntentNetwork implements IntentNetwork {
  private static final String COLUMNS =
      "SELECT router, number, committed, nodes, role, work FROM abelian.intent ";

  /**
   * What is set holds for this statement, which is a transaction. It waits behind the commit gate,
   * which reads over several nodes need, and keeps a control connection from others.
   */
  private static final String APPLY =
      "SELECT set_config('lock_timeout', '50ms', true),"
          + " abelian.apply_intent(?, ?, ?, ?, ?::name, ?)";

  private static final String LOCK_NOT_AVAILABLE = "55P03";
  private static final String UNIQUE_VIOLATION = "23505";
  private static final UUID FIRST = new UUID(0, 0);
  private static final String OVER = "40001";
  private static final String KEY = "intent_pkey";

  private final NodeCalls calls;

  /** Over the given pools. */
  public JdbcIntentNetwork(NodeCalls calls) {
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
  public Optional<StoredIntent> read(int node, IntentId id) throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          String sql = COLUMNS + "WHERE router = ? AND number = ?";
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, id);
            return intents(statement).stream().findFirst();
          }
        });
  }

  @Override
  public List<UUID> routers(int node, UUID except, Duration olderThan)
      throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          // One probe of the index for each router, whose first row is its oldest: the table may
          // have many dead rows.
          String sql =
              "SELECT router, written_at <= clock_timestamp() - ? * interval '1 ms' FROM"
                  + " abelian.intent WHERE router > ? ORDER BY router, number LIMIT 1";
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, olderThan.toMillis());
            List<UUID> routers = new ArrayList<>();
            for (UUID last = FIRST; last != null; ) {
              statement.setObject(2, last);
              try (ResultSet rows = statement.executeQuery()) {
                last = rows.next() ? rows.getObject(1, UUID.class) : null;
                if (last != null && !last.equals(except) && rows.getBoolean(2)) {
                  routers.add(last);
                }
              }
            }
            return routers;
          }
        });
  }

  @Override
  public List<StoredIntent> intents(int node, UUID router, int limit)
      throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          String sql = COLUMNS + "WHERE router = ? ORDER BY number LIMIT ?";
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setObject(1, router);
            statement.setInt(2, limit);
            return intents(statement);
          }
        });
  }

  @Override
  public Barring bar(int node, IntentId id, List<Integer> nodes) throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          try (PreparedStatement statement =
              connection.prepareStatement("SELECT abelian.bar_intent(?, ?, ?)")) {
            set(statement, id);
            statement.setArray(3, integers(connection, nodes));
            try (ResultSet rows = statement.executeQuery()) {
              rows.next();
              return rows.getBoolean(1) ? Barring.COMMITTED : Barring.BARRED;
            }
          } catch (SQLException refused) {
            if (isOver(refused)) {
              return Barring.OVER;
            }
            throw refused;
          }
        });
  }

  private static boolean isOver(SQLException refused) {
    return refused instanceof PSQLException error
        && error.getServerErrorMessage() != null
        && OVER.equals(error.getSQLState())
        && KEY.equals(error.getServerErrorMessage().getConstraint());
  }

  @Override
  public boolean apply(int node, StoredIntent stored) throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(APPLY)) {
            statement.setInt(1, node);
            statement.setObject(2, stored.id().router());
            statement.setLong(3, stored.id().number());
            statement.setArray(4, integers(connection, stored.intent().nodes()));
            statement.setString(5, stored.role());
            statement.setString(6, stored.intent().work());
            return statement.execute();
          } catch (SQLException refused) {
            if (isOver(refused)) {
              return true;
            }
            if (LOCK_NOT_AVAILABLE.equals(refused.getSQLState())) {
              return false;
            }
            throw refused;
          }
        });
  }

  @Override
  public void close(int node, UUID router, long below) throws NodeUnreachableException {
    call(node, "SELECT abelian.close_intents(?, ?)", router, below);
  }

  @Override
  public void forget(int node, UUID router, long below) throws NodeUnreachableException {
    call(node, "SELECT abelian.forget_intents(?, ?)", router, below);
  }

  private void call(int node, String sql, UUID router, long below) throws NodeUnreachableException {
    calls.on(
        node,
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setObject(1, router);
            statement.setLong(2, below);
            return statement.execute();
          }
        });
  }

  @Override
  public void record(Gid gid, boolean committed) throws NodeUnreachableException {
    calls.on(
        gid.holder(),
        connection -> {
          String function = committed ? "decide" : "abort_decision";
          try (PreparedStatement statement =
              connection.prepareStatement("SELECT abelian." + function + "(?)")) {
            statement.setString(1, gid.toString());
            return statement.execute();
          } catch (SQLException refused) {
            if (UNIQUE_VIOLATION.equals(refused.getSQLState())) {
              return true; // It is recorded already.
            }
            throw refused;
          }
        });
  }

  private static void set(PreparedStatement statement, IntentId id) throws SQLException {
    statement.setObject(1, id.router());
    statement.setLong(2, id.number());
  }

  private static Array integers(Connection connection, List<Integer> values) throws SQLException {
    return connection.createArrayOf("int4", values.toArray());
  }

  private static List<StoredIntent> intents(PreparedStatement statement) throws SQLException {
    List<StoredIntent> intents = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        List<Integer> nodes = Arrays.asList((Integer[]) rows.getArray(4).getArray());
        intents.add(
            new StoredIntent(
                new IntentId(rows.getObject(1, UUID.class), rows.getLong(2)),
                rows.getBoolean(3),
                new Intent(nodes, rows.getString(6)),
                rows.getString(5)));
      }
    }
    return intents;
  }
}
