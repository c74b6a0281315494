package org.abelian.server.backup;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.router.database.JdbcPool;
import org.abelian.router.pool.NodeAddress;

/**
 * One node while a backup is taken: a connection that enters its commit gate, and one whose
 * transaction holds the snapshot that is dumped. Not thread-safe.
 */
final class NodeSession implements AutoCloseable {
  private static final String UNDEFINED_TABLE = "42P01";
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  /** Tables are locked by so many at a time. */
  private static final int LOCKED_AT_ONCE = 500;

  /**
   * A gate is never held by somebody who has stopped: the node ends such a session, and with it the
   * gate.
   */
  private static final String GATE_SETTINGS =
      "-c search_path=pg_catalog -c idle_in_transaction_session_timeout=5000"
          + " -c statement_timeout=5000 -c default_transaction_isolation=read\\ committed";

  private static final int GATE_ANSWER_SECONDS = 10;

  /** A snapshot is held for as long as the dump takes, but not for a machine that is gone. */
  private static final String SNAPSHOT_SETTINGS =
      "-c search_path=pg_catalog -c idle_in_transaction_session_timeout=0 -c statement_timeout=0"
          + " -c tcp_keepalives_idle=60 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=6"
          + " -c lock_timeout=";

  /** What pg_dump locks, too; the extension makes its own tables. */
  private static final String TABLES =
      "SELECT c.oid::text, format('%I.%I', n.nspname, c.relname)"
          + " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
          + " WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't'"
          + " AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'"
          + " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass"
          + " AND d.objid = c.oid AND d.deptype = 'e') ORDER BY 2, 1";

  private final int id;
  private final NodeAddress address;
  private final JdbcPool gatePool;
  private final Connection gate;
  private final JdbcPool snapshotPool;
  private final Connection snapshot;
  private List<String> locked = List.of();
  private boolean begun;
  private String exported;

  private NodeSession(int id, NodeAddress address, JdbcPool gate, JdbcPool snapshot)
      throws SQLException {
    this.id = id;
    this.address = address;
    this.gatePool = gate;
    this.snapshotPool = snapshot;
    this.gate = gate.connection();
    this.snapshot = snapshot.connection();
  }

  /**
   * Connects.
   *
   * @param lockWaitMillis how long it waits for a table
   */
  static NodeSession open(int id, NodeAddress address, Access access, int lockWaitMillis)
      throws BackupException {
    JdbcPool gate = access.pool(address, GATE_SETTINGS, GATE_ANSWER_SECONDS);
    JdbcPool snapshot = access.pool(address, SNAPSHOT_SETTINGS + lockWaitMillis, 0);
    try {
      return new NodeSession(id, address, gate, snapshot);
    } catch (SQLException failed) {
      gate.close();
      snapshot.close();
      throw new BackupException("cannot connect to node " + id + " at " + address, failed);
    }
  }

  int id() {
    return id;
  }

  NodeAddress address() {
    return address;
  }

  /** The name of the snapshot, for pg_dump. */
  String exported() {
    return exported;
  }

  /** How many tables are locked. */
  int tables() {
    return locked.size();
  }

  /**
   * Begins the transaction that is to have the snapshot, and locks all tables in it, so that none
   * is changed or dropped before pg_dump comes. It has no snapshot yet. False when the tables
   * changed meanwhile.
   *
   * @throws BackupException when a table cannot be locked in time
   */
  boolean begin() throws BackupException, SQLException {
    if (begun) {
      return true;
    }
    locked = tables(gate);
    execute(snapshot, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    begun = true;
    try {
      for (int from = 0; from < locked.size(); from += LOCKED_AT_ONCE) {
        List<String> some =
            locked.subList(from, Math.min(from + LOCKED_AT_ONCE, locked.size())).stream()
                .map(table -> "ONLY " + table.substring(table.indexOf(' ') + 1))
                .toList();
        execute(snapshot, "LOCK TABLE " + String.join(", ", some) + " IN ACCESS SHARE MODE");
      }
      return true;
    } catch (SQLException failed) {
      rollBack();
      if (UNDEFINED_TABLE.equals(failed.getSQLState())) {
        return false;
      }
      if (LOCK_NOT_AVAILABLE.equals(failed.getSQLState())) {
        throw new BackupException(
            "node " + id + ": another session keeps a table locked; see --lock-wait-timeout",
            failed);
      }
      throw failed;
    }
  }

  private static List<String> tables(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(TABLES)) {
      List<String> tables = new ArrayList<>();
      while (rows.next()) {
        tables.add(rows.getString(1) + " " + rows.getString(2));
      }
      return tables;
    }
  }

  /** Enters the commit gate; false when it could not be entered in time. */
  boolean enterGate(int waitMillis) throws SQLException {
    execute(gate, "BEGIN");
    return "t".equals(value(gate, "SELECT abelian.snapshot_gate(" + waitMillis + ")"));
  }

  /** Leaves the gate. When this succeeds after {@link #enterGate}, it was held up to now. */
  void leaveGate() throws SQLException {
    execute(gate, "COMMIT");
  }

  /** Whether a transaction over several nodes is prepared; behind the gate, none is. */
  boolean hasPrepared() throws SQLException {
    return "t"
        .equals(
            value(
                gate,
                "SELECT EXISTS (SELECT FROM pg_prepared_xacts"
                    + " WHERE database = current_database() AND gid LIKE 'abelian:%')"));
  }

  /** Takes the snapshot. */
  void export() throws SQLException {
    exported = value(snapshot, "SELECT pg_export_snapshot()");
  }

  /** Whether the tables in the snapshot are those that are locked. */
  boolean hasLockedAll() throws SQLException {
    return tables(snapshot).equals(locked);
  }

  /** What the snapshot has of commuting transactions. */
  CommutingCheck.Seen commuting() throws SQLException {
    Map<CommutingCheck.Id, List<Integer>> committed = new HashMap<>();
    Map<String, Long> horizons = new HashMap<>();
    try (Statement statement = snapshot.createStatement()) {
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT router::text, number, nodes FROM abelian.intent"
                  + " WHERE committed AND cardinality(nodes) > 1")) {
        while (rows.next()) {
          Integer[] nodes = (Integer[]) rows.getArray(3).getArray();
          committed.put(new CommutingCheck.Id(rows.getString(1), rows.getLong(2)), List.of(nodes));
        }
      }
      try (ResultSet rows =
          statement.executeQuery("SELECT router::text, below FROM abelian.intent_horizon")) {
        while (rows.next()) {
          horizons.put(rows.getString(1), rows.getLong(2));
        }
      }
    }
    return new CommutingCheck.Seen(id, committed, horizons);
  }

  /** One value that the snapshot has. */
  String read(String query) throws SQLException {
    return value(snapshot, query);
  }

  /** Its transaction, for queries. */
  Connection snapshot() {
    return snapshot;
  }

  /** Gives the snapshot up. */
  void rollBack() throws SQLException {
    begun = false;
    exported = null;
    execute(snapshot, "ROLLBACK");
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String value(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  @Override
  public String toString() {
    return "node " + id + " at " + address;
  }

  @Override
  public void close() {
    gatePool.discard(gate);
    snapshotPool.discard(snapshot);
    gatePool.close();
    snapshotPool.close();
  }
}
