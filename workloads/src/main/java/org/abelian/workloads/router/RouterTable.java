package org.abelian.workloads.router;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;

/** The table of {@link Operation}. */
final class RouterTable {
  static final String FILLER = "x".repeat(80);

  private static final String NAME = "bench_router";

  private final Database cluster;
  private final boolean distributed;
  private final int rows;

  /** Distributed over the cluster. */
  RouterTable(Database cluster, int rows) {
    this(cluster, true, rows);
  }

  private RouterTable(Database cluster, boolean distributed, int rows) {
    this.cluster = cluster;
    this.distributed = distributed;
    this.rows = rows;
  }

  /** On one PostgreSQL. */
  static RouterTable undistributed(Database plain, int rows) {
    return new RouterTable(plain, false, rows);
  }

  void create() throws SQLException {
    cluster.execute(
        "DROP TABLE IF EXISTS " + NAME,
        "CREATE TABLE " + NAME + " (k integer PRIMARY KEY, v bigint NOT NULL, filler text)");
    if (distributed) {
      cluster.execute("CALL create_distributed_table('" + NAME + "', 'k')");
    }
    cluster.load(
        "INSERT INTO " + NAME + " (k, v, filler) VALUES (?, 0, ?)",
        rows,
        (insert, key) -> {
          insert.setInt(1, key);
          insert.setString(2, FILLER);
        });
    cluster.execute("VACUUM ANALYZE " + NAME);
  }

  void drop() throws SQLException {
    cluster.execute("DROP TABLE IF EXISTS " + NAME);
  }

  /** The keys of the rows that a node has, past the router. */
  int[] keysOf(Database node) throws SQLException {
    List<Integer> keys = new ArrayList<>();
    try (JdbcPool pool = node.pool(1);
        Connection connection = pool.connection();
        Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery("SELECT k FROM " + NAME)) {
      while (found.next()) {
        keys.add(found.getInt(1));
      }
    }
    if (keys.isEmpty() || keys.size() == rows) {
      throw new SQLException(
          "the node has %d of %d rows: the table is not distributed over the cluster"
              .formatted(keys.size(), rows),
          "55000");
    }
    return keys.stream().mapToInt(Integer::intValue).toArray();
  }
}
