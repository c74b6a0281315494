package org.abelian.histories.lists;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;

/** The tables and procedures of these histories, on a cluster. Each history has keys of its own. */
public final class ListTables {
  private static final int KEYS_TRIED = 60;

  private final LocalCluster cluster;
  private int lastKey;

  private ListTables(LocalCluster cluster) {
    this.cluster = cluster;
  }

  /** Those of the cluster; creates them when they are not there. */
  public static ListTables of(LocalCluster cluster) throws SQLException {
    ListTables tables = new ListTables(cluster);
    for (LocalNode node : cluster.nodes()) {
      try (Connection connection = node.connectAsSuperuser()) {
        tables.lastKey = Math.max(tables.lastKey, lastKey(connection));
      }
    }
    if (tables.lastKey == 0) {
      create(cluster);
    }
    return tables;
  }

  private static int lastKey(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      try (ResultSet row = statement.executeQuery("SELECT to_regclass('entry') IS NULL")) {
        row.next();
        if (row.getBoolean(1)) {
          return 0;
        }
      }
      try (ResultSet row = statement.executeQuery("SELECT coalesce(max(id), 0) FROM entry")) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  private static void create(LocalCluster cluster) throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE entry (id int PRIMARY KEY, log bigint[] NOT NULL DEFAULT '{}',"
              + " n abelian.counter NOT NULL DEFAULT 0)");
      statement.execute("CREATE TABLE mark (id int, number bigint)");
      statement.execute("SELECT create_distributed_table('entry', 'id')");
      statement.execute("SELECT create_distributed_table('mark', 'id', colocate_with => 'entry')");
      statement.execute(
          "CREATE PROCEDURE append_alone(keys int[], number bigint) LANGUAGE sql BEGIN ATOMIC"
              + " UPDATE entry SET log = log || number WHERE id = ANY (keys); END");
      statement.execute(
          "CREATE PROCEDURE append_voting(keys int[], number bigint) LANGUAGE sql BEGIN ATOMIC"
              + " UPDATE entry SET log = log || number WHERE id = ANY (keys); END");
      statement.execute(
          "CREATE FUNCTION append_and_show(keys int[], number bigint) RETURNS TABLE (id int, log"
              + " bigint[]) LANGUAGE sql BEGIN ATOMIC UPDATE entry e SET log = e.log || number"
              + " WHERE e.id = ANY (keys) RETURNING e.id, e.log; END");
      statement.execute(
          "CREATE FUNCTION show(keys int[]) RETURNS TABLE (id int, log bigint[]) LANGUAGE sql"
              + " STABLE BEGIN ATOMIC SELECT e.id, e.log FROM entry e WHERE e.id = ANY (keys);"
              + " END");
      statement.execute(
          "CREATE PROCEDURE count_both(a int, b int, number bigint) LANGUAGE sql BEGIN ATOMIC"
              + " UPDATE entry SET n = n + 1 WHERE id = a; INSERT INTO mark VALUES (a, number);"
              + " UPDATE entry SET n = n + 1 WHERE id = b; INSERT INTO mark VALUES (b, number);"
              + " END");
      // The rows are there and nothing constrains the lists, so that all participants decide alike.
      place(statement, "count_both(int, int, bigint)", "a, b", "class => 'analysed'");
      place(
          statement,
          "append_alone(int[], bigint)",
          "keys",
          "class => 'independent', unsafe => true");
      place(statement, "append_voting(int[], bigint)", "keys", "class => 'coordinated'");
      place(statement, "append_and_show(int[], bigint)", "keys", "merge => 'union'");
      place(statement, "show(int[])", "keys", "merge => 'union'");
    }
  }

  private static void place(Statement statement, String signature, String keys, String options)
      throws SQLException {
    statement.execute(
        "SELECT create_distributed_procedure('%s', '%s', colocate_with => 'entry', %s)"
            .formatted(signature, keys, options));
  }

  /** Makes new keys, so many on each node. */
  public Keys makeKeys(int ofEachNode) throws SQLException, InterruptedException {
    List<Integer> tried = IntStream.rangeClosed(lastKey + 1, lastKey + KEYS_TRIED).boxed().toList();
    lastKey += KEYS_TRIED;
    String insert =
        tried.stream()
            .map(key -> "(" + key + ")")
            .collect(
                Collectors.joining(
                    ",", "INSERT INTO entry (id) VALUES ", " ON CONFLICT DO NOTHING"));
    Retries.ask(
        cluster::connect,
        connection -> {
          try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(insert);
          }
        });
    List<List<Integer>> byNode = new ArrayList<>();
    for (LocalNode node : cluster.nodes()) {
      List<Integer> there = new ArrayList<>(keysOn(node, tried.get(0)));
      if (there.size() < ofEachNode) {
        throw new IllegalStateException(node + " has got the keys " + there + " only");
      }
      byNode.add(there.subList(0, ofEachNode));
    }
    return new Keys(byNode);
  }

  private static Set<Integer> keysOn(LocalNode node, int from) throws SQLException {
    Set<Integer> found = new TreeSet<>();
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id FROM entry WHERE id >= " + from)) {
      while (rows.next()) {
        found.add(rows.getInt(1));
      }
    }
    return found;
  }
}
