package org.abelian.advisor.applied;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.abelian.harness.LocalCluster;

/**
 * Which nodes really have which rows.
 *
 * @param nodes by table and row, counted from 0
 */
record PlacedRows(Map<String, Map<String, Set<Integer>>> nodes) {
  /** Asks each node. */
  static PlacedRows of(LocalCluster cluster, Scenario scenario) throws SQLException {
    Map<String, Map<String, Set<Integer>>> all = new TreeMap<>();
    for (String table : scenario.firstColumns().keySet()) {
      Map<String, Set<Integer>> rows =
          all.computeIfAbsent("public." + table, fresh -> new HashMap<>());
      for (int node = 0; node < cluster.nodes().size(); node++) {
        try (Connection connection = cluster.node(node).connectAsSuperuser();
            Statement statement = connection.createStatement();
            ResultSet row = statement.executeQuery("SELECT t::text FROM " + table + " t")) {
          while (row.next()) {
            rows.computeIfAbsent(row.getString(1), fresh -> new TreeSet<>()).add(node);
          }
        }
      }
    }
    return new PlacedRows(all);
  }

  /** How rows that went from one node to another are counted. */
  static String way(String table, int from, int to) {
    return table + " " + from + " to " + to;
  }

  /** How many rows of each table were on which one node before, and are on which other now. */
  Map<String, Long> movedFrom(PlacedRows before) {
    Map<String, Long> moved = new TreeMap<>();
    nodes.forEach(
        (table, rows) ->
            rows.forEach(
                (row, now) -> {
                  int from = before.nodes().get(table).get(row).iterator().next();
                  now.stream()
                      .filter(to -> to != from)
                      .forEach(to -> moved.merge(way(table, from, to), 1L, Long::sum));
                }));
    return moved;
  }
}
