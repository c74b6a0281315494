package org.abelian.workloads.tpcc.check;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;

/** Judges all conditions over a database at rest. */
public final class ConsistencyCheck {
  private final Database database;

  public ConsistencyCheck(Database database) {
    this.database = database;
  }

  /** The findings for each condition. Memory grows with the number of orders and customers. */
  public Map<Condition, Violations> run() throws SQLException {
    try (JdbcPool pool = database.pool(1);
        Connection connection = pool.connection()) {
      return judge(connection, warehouses(connection));
    }
  }

  /**
   * The findings where the warehouses must be 1 to {@code expected}.
   *
   * @throws SQLException also when there are others
   */
  public Map<Condition, Violations> run(int expected) throws SQLException {
    try (JdbcPool pool = database.pool(1);
        Connection connection = pool.connection()) {
      List<Integer> present = warehouses(connection);
      if (!present.equals(IntStream.rangeClosed(1, expected).boxed().toList())) {
        throw new SQLException(
            "expected warehouses 1 to %d, there are %s".formatted(expected, present), "P0002");
      }
      return judge(connection, present);
    }
  }

  private static Map<Condition, Violations> judge(Connection connection, List<Integer> ids)
      throws SQLException {
    CrossFacts cross = new CrossFacts();
    FactsReader reader = new FactsReader(connection, cross);
    List<WarehouseFacts> warehouses = new ArrayList<>();
    for (int warehouse : ids) {
      warehouses.add(reader.read(warehouse));
    }
    Map<Condition, Violations> findings = new EnumMap<>(Condition.class);
    for (Condition condition : Condition.values()) {
      Violations violations = new Violations();
      warehouses.forEach(w -> condition.check(w, cross, violations));
      findings.put(condition, violations);
    }
    return findings;
  }

  private static List<Integer> warehouses(Connection connection) throws SQLException {
    List<Integer> ids = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT w_id FROM warehouse ORDER BY w_id")) {
      while (rows.next()) {
        ids.add(rows.getInt(1));
      }
    }
    if (ids.isEmpty()) {
      throw new SQLException("table warehouse is empty: there is nothing to check", "P0002");
    }
    return ids;
  }

  /** True when no condition is contradicted. */
  public static boolean holds(Map<Condition, Violations> findings) {
    return findings.values().stream().allMatch(v -> v.count() == 0);
  }
}
