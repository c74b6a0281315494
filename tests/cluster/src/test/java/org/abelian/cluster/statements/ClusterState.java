package org.abelian.cluster.statements;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Everything that a cluster and one PostgreSQL hold.
 *
 * @param versions of the nodes, which define the same in other words
 * @param schemas of the nodes
 * @param rows of the nodes
 * @param placements distribution columns; null for reference tables
 */
record ClusterState(
    List<Integer> versions,
    List<List<String>> schemas,
    List<Map<String, List<String>>> rows,
    Map<String, String> placements) {

  static ClusterState of(List<Replica> nodes) throws SQLException {
    List<Integer> versions = new ArrayList<>();
    List<List<String>> schemas = new ArrayList<>();
    List<Map<String, List<String>>> rows = new ArrayList<>();
    for (Replica node : nodes) {
      versions.add(node.version());
      schemas.add(node.schema());
      rows.add(node.rows());
    }
    return new ClusterState(versions, schemas, rows, nodes.get(0).placements());
  }

  /** True when tables are placed alike, and each node has the same rows of this one. */
  boolean hasRowsOf(ClusterState other, String table) {
    if (!placements.equals(other.placements)) {
      return false;
    }
    for (int node = 0; node < rows.size(); node++) {
      if (!Objects.equals(rows.get(node).get(table), other.rows.get(node).get(table))) {
        return false;
      }
    }
    return true;
  }

  /** True when everything but the rows is the same. */
  boolean definesWhat(ClusterState other) {
    return schemas.equals(other.schemas) && placements.equals(other.placements);
  }

  /**
   * In what the cluster differs from one PostgreSQL; empty when in nothing. Schemas of another
   * version are not looked at.
   */
  List<String> differences(ClusterState single) {
    List<String> found = new ArrayList<>();
    for (int node = 0; node < schemas.size(); node++) {
      String name = "schema of node " + (node + 1);
      if (versions.get(node).equals(single.versions.get(0))) {
        compare(name, single.schemas.get(0), schemas.get(node), found);
      }
    }
    Map<String, List<String>> expected = single.rows.get(0);
    Set<String> tables = new TreeSet<>(expected.keySet());
    rows.forEach(node -> tables.addAll(node.keySet()));
    for (String table : tables) {
      compareRows(table, expected.getOrDefault(table, List.of()), found);
    }
    return found;
  }

  private void compareRows(String table, List<String> expected, List<String> found) {
    boolean divided = placements.containsKey(table) && placements.get(table) != null;
    List<String> all = new ArrayList<>();
    for (int node = 0; node < rows.size(); node++) {
      List<String> own = rows.get(node).getOrDefault(table, List.of());
      if (divided) {
        all.addAll(own);
      } else {
        boolean here = placements.containsKey(table) || node == 0;
        String name = "rows of " + table + " on node " + (node + 1);
        compare(name, here ? expected : List.of(), own, found);
      }
    }
    if (divided) {
      all.sort(null);
      compare("rows of " + table, expected, all, found);
    }
  }

  private static void compare(
      String what, List<String> expected, List<String> actual, List<String> found) {
    Map<String, Integer> surplus = new TreeMap<>();
    actual.forEach(line -> surplus.merge(line, 1, Integer::sum));
    expected.forEach(line -> surplus.merge(line, -1, Integer::sum));
    surplus.forEach(
        (line, count) -> {
          if (count != 0) {
            found.add(what + (count > 0 ? " has too: " : " lacks: ") + line);
          }
        });
  }
}
