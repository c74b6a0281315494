package org.abelian.cluster.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringReader;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.router.catalog.Colocation;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.catalog.Placement;
import org.abelian.router.placement.Clause;
import org.abelian.router.placement.KeyExpression;
import org.abelian.router.placement.KeyValue;
import org.abelian.router.placement.LookupFunction;
import org.abelian.router.placement.Otherwise;
import org.abelian.router.placement.PartitionFunction;
import org.abelian.router.placement.RuleFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.postgresql.PGConnection;

/**
 * The placement function of the router and that of the nodes are the same, by values of every kind
 * and method, and rows lie where both say.
 */
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FunctionParityIT {
  private static final int VALUES = Integer.getInteger("abelian.placement.values", 60_000);
  private static final int CHUNK = 10_000;
  private static final int LOADED = 4_000;
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());

  private final LocalCluster cluster;
  private final RouterServer router;
  private final List<PlacedTable> tables = PlacedTables.all();

  FunctionParityIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeAll
  void place() throws SQLException {
    try (Connection routed = router.connect();
        Statement statement = routed.createStatement()) {
      for (PlacedTable table : tables) {
        statement.execute("DROP TABLE IF EXISTS " + table.name());
        statement.execute(table.create(table.name()));
        for (String command : table.place()) {
          statement.execute(command);
        }
      }
    }
  }

  @AfterAll
  void drop() throws SQLException {
    try (Connection routed = router.connect();
        Statement statement = routed.createStatement()) {
      for (PlacedTable table : tables) {
        statement.execute("DROP TABLE IF EXISTS " + table.name());
      }
    }
  }

  @Test
  void theRouterAndTheNodesComputeTheSamePartitions() throws SQLException {
    int each = VALUES / tables.size() + 1;
    for (int at = 0; at < tables.size(); at++) {
      PlacedTable table = tables.get(at);
      try (Connection node = cluster.node(at % cluster.nodes().size()).connectAsSuperuser()) {
        List<String> different =
            differences(table, RouterPlacement.of(table, node), node, each, SEED + at);
        assertEquals(List.of(), different, table + ", seed " + SEED);
      }
    }
  }

  /** What would go unseen above would go unseen here. */
  @Test
  void anotherFunctionIsNoticed() throws SQLException {
    for (PlacedTable table : tables) {
      try (Connection node = cluster.node(0).connectAsSuperuser()) {
        RouterPlacement broken = RouterPlacement.of(table, node, FunctionParityIT::broken);
        List<String> different = differences(table, broken, node, 2_000, SEED);
        assertTrue(!different.isEmpty(), table + " placed otherwise is not noticed, seed " + SEED);
      }
    }
  }

  /** Another operand, columns in another order, or another partition for what is named first. */
  private static Placement.Distributed broken(Placement.Distributed right) {
    Colocation group = right.colocation();
    List<KeyColumn> columns = new ArrayList<>(right.columns());
    PartitionFunction function = group.function();
    KeyExpression expression = columns.get(0).expression();
    if (function instanceof RuleFunction rule) {
      function = broken(rule);
    } else if (function instanceof LookupFunction lookup) {
      function = broken(lookup);
    } else if (expression != null) {
      KeyExpression other = new KeyExpression(expression.operator(), expression.operand() + 1);
      columns.set(0, new KeyColumn(columns.get(0).name(), columns.get(0).key(), other));
    } else {
      Otherwise otherwise =
          columns.size() == 1 ? new Otherwise.Partition(0) : new Otherwise.Hash(List.of(1, 0));
      function = new RuleFunction(function.count(), List.of(), otherwise);
    }
    return new Placement.Distributed(columns, new Colocation(group.id(), group.nodes(), function));
  }

  private static PartitionFunction broken(RuleFunction right) {
    List<Clause> clauses = new ArrayList<>(right.clauses());
    Clause first = clauses.get(0);
    int other = (first.partition() + Math.max(1, right.count() / 2)) % right.count();
    clauses.set(0, new Clause(other, first.conditions()));
    return new RuleFunction(right.count(), clauses, right.otherwise());
  }

  private static PartitionFunction broken(LookupFunction right) {
    Map<KeyValue, Integer> entries = new HashMap<>(right.entries());
    entries.replaceAll((key, partition) -> (partition + right.count() / 2) % right.count());
    return new LookupFunction(right.count(), entries, right.otherwise());
  }

  private static List<String> differences(
      PlacedTable table, RouterPlacement routed, Connection node, int count, long seed)
      throws SQLException {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> different = new ArrayList<>();
    for (int done = 0; done < count && different.size() < 10; done += CHUNK) {
      List<String[]> keys = new ArrayList<>();
      for (int at = Math.min(CHUNK, count - done); at > 0; at--) {
        keys.add(table.randomKey(random));
      }
      Integer[] said = ofNode(table, keys, node);
      for (int at = 0; at < keys.size(); at++) {
        int expected = said[at] == null ? RouterPlacement.UNCOVERED : said[at];
        int actual = routed.partition((at & 1) == 0, keys.get(at));
        if (expected != actual) {
          different.add(
              "%s: node %d, router %d".formatted(List.of(keys.get(at)), expected, actual));
        }
      }
    }
    return different;
  }

  /** The node is asked for many at once. */
  private static Integer[] ofNode(PlacedTable table, List<String[]> keys, Connection node)
      throws SQLException {
    int width = table.types().size();
    String sql =
        "SELECT array_agg(abelian.partition_of('%s', VARIADIC ARRAY[%s]) ORDER BY n) FROM unnest(%s) WITH ORDINALITY u (%s, n)"
            .formatted(
                table.name(),
                table.columnList(),
                IntStream.range(0, width)
                    .mapToObj(any -> "?::text[]")
                    .collect(Collectors.joining(", ")),
                table.columnList());
    try (PreparedStatement statement = node.prepareStatement(sql)) {
      for (int column = 0; column < width; column++) {
        int place = column;
        Array values =
            node.createArrayOf("text", keys.stream().map(key -> key[place]).toArray(String[]::new));
        statement.setArray(column + 1, values);
      }
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return (Integer[]) rows.getArray(1).getArray();
      }
    }
  }

  // ---- where rows are

  @Test
  void rowsLieWhereBothSay() throws SQLException, IOException {
    for (PlacedTable table : tables) {
      int loaded = load(table);
      long found = 0;
      int noticed = 0;
      for (int at = 0; at < cluster.nodes().size(); at++) {
        LocalNode node = cluster.node(at);
        try (Connection direct = node.connectAsSuperuser()) {
          RouterPlacement right = RouterPlacement.of(table, direct);
          RouterPlacement broken = RouterPlacement.of(table, direct, FunctionParityIT::broken);
          int id = nodeId(direct, node.port());
          List<String[]> keys = keys(table, direct);
          found += keys.size();
          assertEquals(0, misplaced(right, id, keys), table + " on node " + id + ", seed " + SEED);
          assertEquals(0, misplacedForNode(table, direct, id), table + " on node " + id);
          noticed += misplaced(broken, id, keys);
        }
      }
      assertEquals(loaded, found, table + ", seed " + SEED);
      assertTrue(noticed > 0, table + ": rows placed otherwise are not noticed, seed " + SEED);
    }
  }

  private int load(PlacedTable table) throws SQLException, IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    StringBuilder data = new StringBuilder();
    int rows = 0;
    try (Connection node = cluster.node(0).connectAsSuperuser();
        Connection routed = router.connect();
        Statement statement = routed.createStatement()) {
      RouterPlacement placement = RouterPlacement.of(table, node);
      for (int at = 0; at < LOADED; at++) {
        String[] key = table.randomKey(random);
        if (placement.partition(false, key) != RouterPlacement.UNCOVERED) {
          String line = String.join("\t", key).replace("\\", "\\\\");
          data.append(at).append('\t').append(line).append('\n');
          rows++;
        }
      }
      statement.execute("TRUNCATE " + table.name());
      routed
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn(
              "COPY %s (id, %s) FROM STDIN".formatted(table.name(), table.columnList()),
              new StringReader(data.toString()));
    }
    return rows;
  }

  private static int misplaced(RouterPlacement placement, int node, List<String[]> keys) {
    return (int) keys.stream().filter(key -> placement.node(key) != node).count();
  }

  private static List<String[]> keys(PlacedTable table, Connection node) throws SQLException {
    String columns =
        table.columns().stream().map(column -> column + "::text").collect(Collectors.joining(", "));
    List<String[]> keys = new ArrayList<>();
    try (Statement statement = node.createStatement();
        ResultSet rows = statement.executeQuery("SELECT " + columns + " FROM " + table.name())) {
      while (rows.next()) {
        String[] key = new String[table.types().size()];
        for (int at = 0; at < key.length; at++) {
          key[at] = rows.getString(at + 1);
        }
        keys.add(key);
      }
    }
    return keys;
  }

  private static long misplacedForNode(PlacedTable table, Connection node, int id)
      throws SQLException {
    String keys =
        table.columns().stream().map(column -> column + "::text").collect(Collectors.joining(", "));
    String sql =
        "SELECT count(*) FROM %1$s WHERE abelian.node_of('%1$s', VARIADIC ARRAY[%2$s]) IS DISTINCT FROM %3$d"
            .formatted(table.name(), keys, id);
    return number(node, sql);
  }

  private static int nodeId(Connection node, int port) throws SQLException {
    return (int) number(node, "SELECT node_id FROM abelian.node WHERE port = " + port);
  }

  private static long number(Connection node, String sql) throws SQLException {
    try (Statement statement = node.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
