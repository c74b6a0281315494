package org.abelian.workloads.pair;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;

/** The keys of each node's rows, nodes in the order of their numbers. */
public final class Keys {
  private final List<int[]> byNode;

  private Keys(List<int[]> byNode) {
    this.byNode = List.copyOf(byNode);
  }

  /**
   * Asks where the keys of a table are.
   *
   * @param table distributed by an integer
   * @param rows of the table, whose keys begin with 1
   */
  public static Keys of(Database cluster, String table, int rows) throws SQLException {
    SortedMap<Integer, List<Integer>> found = new TreeMap<>();
    try (JdbcPool pool = cluster.pool(1);
        Connection connection = pool.connection();
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT k, abelian.node_of(?::regclass, k::text) FROM generate_series(1, ?) k")) {
      statement.setString(1, table);
      statement.setInt(2, rows);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found.computeIfAbsent(row.getInt(2), any -> new ArrayList<>()).add(row.getInt(1));
        }
      }
    }
    if (found.size() < 2) {
      throw new SQLException(table + " is not distributed over several nodes", "55000");
    }
    return new Keys(
        found.values().stream()
            .map(keys -> keys.stream().mapToInt(Integer::intValue).toArray())
            .toList());
  }

  int nodes() {
    return byNode.size();
  }

  /** A key of a node: any, or always the first. */
  int draw(int node, boolean hot, SplittableRandom random) {
    int[] keys = byNode.get(node);
    return keys[hot ? 0 : random.nextInt(keys.length)];
  }
}
