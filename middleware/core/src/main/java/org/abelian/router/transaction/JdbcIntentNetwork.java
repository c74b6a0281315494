package org.abelian.router.transaction;

import java.sql.Connection;
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
    return intents(node, "WHERE router = ? AND number = ?", id.router(), id.number()).stream()
        .findFirst();
  }

  @Override
  public List<UUID> routers(int node, UUID except, Duration olderThan)
      throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          List<UUID> routers = new ArrayList<>();
          Optional<KnownRouter> next = nextRouter(connection, FIRST, olderThan);
          while (next.isPresent()) {
            UUID router = next.get().id();
            if (!router.equals(except) && next.get().isOld()) {
              routers.add(router);
            }
            next = nextRouter(connection, router, olderThan);
          }
          return routers;
        });
  }

  private record KnownRouter(UUID id, boolean isOld) {}

  /**
   * One probe of the index for each router, whose first row is its oldest: the table may have many
   * dead rows.
   */
  private static Optional<KnownRouter> nextRouter(
      Connection connection, UUID last, Duration olderThan) throws SQLException {
    return NodeQueries.first(
        connection,
        "SELECT router, written_at <= clock_timestamp() - ? * interval '1 ms' FROM"
            + " abelian.intent WHERE router > ? ORDER BY router, number LIMIT 1",
        row -> new KnownRouter(row.getObject(1, UUID.class), row.getBoolean(2)),
        olderThan.toMillis(),
        last);
  }

  @Override
  public List<StoredIntent> intents(int node, UUID router, int limit)
      throws NodeUnreachableException {
    return intents(node, "WHERE router = ? ORDER BY number LIMIT ?", router, limit);
  }

  @Override
  public Barring bar(int node, IntentId id, List<Integer> nodes) throws NodeUnreachableException {
    return calls.on(
        node,
        connection -> {
          try {
            boolean committed =
                NodeQueries.one(
                    connection,
                    "SELECT abelian.bar_intent(?, ?, ?)",
                    row -> row.getBoolean(1),
                    id.router(),
                    id.number(),
                    NodeQueries.array("int4", nodes));
            return committed ? Barring.COMMITTED : Barring.BARRED;
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
          try {
            NodeQueries.run(
                connection,
                APPLY,
                node,
                stored.id().router(),
                stored.id().number(),
                NodeQueries.array("int4", stored.intent().nodes()),
                stored.role(),
                stored.intent().work());
            return true;
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
    calls.run(node, "SELECT abelian.close_intents(?, ?)", router, below);
  }

  @Override
  public void forget(int node, UUID router, long below) throws NodeUnreachableException {
    calls.run(node, "SELECT abelian.forget_intents(?, ?)", router, below);
  }

  @Override
  public void record(Gid gid, boolean committed) throws NodeUnreachableException {
    String function = committed ? "decide" : "abort_decision";
    calls.on(
        gid.holder(),
        connection -> {
          try {
            NodeQueries.run(connection, "SELECT abelian." + function + "(?)", gid.toString());
          } catch (SQLException refused) {
            if (!UNIQUE_VIOLATION.equals(refused.getSQLState())) {
              throw refused; // Else it is recorded already.
            }
          }
          return null;
        });
  }

  private List<StoredIntent> intents(int node, String which, Object... parameters)
      throws NodeUnreachableException {
    return calls.all(
        node,
        COLUMNS + which,
        row -> {
          List<Integer> nodes = Arrays.asList((Integer[]) row.getArray(4).getArray());
          return new StoredIntent(
              new IntentId(row.getObject(1, UUID.class), row.getLong(2)),
              row.getBoolean(3),
              new Intent(nodes, row.getString(6)),
              row.getString(5));
        },
        parameters);
  }
}
