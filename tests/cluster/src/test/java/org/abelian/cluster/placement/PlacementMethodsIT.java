package org.abelian.cluster.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.abelian.harness.CaseShare;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tables placed by every method give, through the router, what they give on one PostgreSQL, and
 * each node has its own rows.
 */
@WithNode
@WithCluster
class PlacementMethodsIT {
  private static final int KEYS = 10;
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());
  private static final String TEXT = "?prepareThreshold=1&binaryTransfer=false";
  private static final String BINARY = "?prepareThreshold=-1&binaryTransfer=true";

  private final LocalNode single;
  private final LocalCluster cluster;
  private final RouterServer router;

  /** Of the table in question: keys that a row may have. */
  private List<String[]> keys;

  PlacementMethodsIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.cluster = cluster;
    this.router = router;
  }

  static Stream<PlacedTable> tables() {
    return CaseShare.of(PlacedTables.all().stream());
  }

  private static Connection connect(String url, String options) throws SQLException {
    return DriverManager.getConnection(url + options, LocalNode.USER, LocalNode.USER);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("tables")
  void givesWhatOnePostgresGives(PlacedTable table) throws SQLException, IOException {
    try (Connection plain = connect(single.jdbcUrl(), TEXT);
        Connection routed = connect(router.jdbcUrl(), TEXT);
        Connection plainBinary = connect(single.jdbcUrl(), BINARY);
        Connection routedBinary = connect(router.jdbcUrl(), BINARY)) {
      create(table, plain, routed);
      keys = keys(table);
      Twin twin = new Twin(plain, routed);
      Twin binary = new Twin(plainBinary, routedBinary);
      try {
        load(table, twin, binary);
        checkNodes(table, plain);
        read(table, twin);
        prepared(table, twin);
        prepared(table, binary);
        join(table, twin);
        write(table, twin);
        refuse(table, twin, routed);
        checkNodes(table, plain);
      } catch (AssertionError e) {
        throw new AssertionError("seed " + SEED, e);
      } finally {
        drop(table, plain);
        drop(table, routed);
      }
    }
  }

  private static void drop(PlacedTable table, Connection connection) throws SQLException {
    execute(connection, "DROP TABLE IF EXISTS " + table.name() + ", " + beside(table));
  }

  private static String beside(PlacedTable table) {
    return table.name() + "_beside";
  }

  private static void create(PlacedTable table, Connection... connections) throws SQLException {
    for (Connection connection : connections) {
      drop(table, connection);
      execute(connection, table.create(table.name()));
      execute(connection, table.create(beside(table)));
    }
    for (String command : table.place()) {
      execute(connections[1], command);
    }
    execute(
        connections[1],
        "SELECT create_distributed_table('%s', '%s', colocate_with => '%s')"
            .formatted(beside(table), table.keys(), table.name()));
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Different keys that a rule covers. */
  private List<String[]> keys(PlacedTable table) throws SQLException {
    SplittableRandom random = new SplittableRandom(SEED);
    List<String[]> found = new ArrayList<>();
    try (Connection node = cluster.node(0).connectAsSuperuser()) {
      RouterPlacement placement = RouterPlacement.of(table, node);
      for (int tries = 0; tries < 1_000 && found.size() < KEYS; tries++) {
        String[] key = table.randomKey(random);
        boolean isNew = found.stream().noneMatch(each -> List.of(each).equals(List.of(key)));
        if (isNew && placement.partition(false, key) != RouterPlacement.UNCOVERED) {
          found.add(key);
        }
      }
    }
    return found;
  }

  // ---- texts of statements

  private static String literals(PlacedTable table, String... key) {
    return IntStream.range(0, key.length)
        .mapToObj(at -> table.types().get(at).literal(key[at]))
        .collect(Collectors.joining(", "));
  }

  private static String isKey(PlacedTable table, String... key) {
    return IntStream.range(0, key.length)
        .mapToObj(at -> isColumn(table, at, key[at]))
        .collect(Collectors.joining(" AND "));
  }

  private static String isColumn(PlacedTable table, int at, String value) {
    return table.columns().get(at) + " = " + table.types().get(at).literal(value);
  }

  private static String questions(PlacedTable table) {
    return table.types().stream()
        .map(KeyType::sql)
        .map(sql -> "?")
        .collect(Collectors.joining(", "));
  }

  /** As an application would have it. */
  private static Object object(KeyType type, String text) {
    return switch (type) {
      case SMALLINT -> Short.valueOf(text);
      case INTEGER -> Integer.valueOf(text);
      case BIGINT -> Long.valueOf(text);
      case NUMERIC, DECIMAL -> new BigDecimal(text);
      case TIMESTAMP -> LocalDateTime.parse(text.replace(' ', 'T'));
      case TIMESTAMPTZ -> OffsetDateTime.parse(text.replace(' ', 'T') + ":00");
      case TIME -> LocalTime.parse(text);
      case REAL -> Float.valueOf(text);
      case DOUBLE -> Double.valueOf(text);
      case BYTEA -> HexFormat.of().parseHex(text.substring(2));
      case UUID -> UUID.fromString(text);
      case BOOLEAN -> Boolean.valueOf(text);
      case DATE -> date(text);
      default -> text;
    };
  }

  private static LocalDate date(String text) {
    return switch (text) {
      case "infinity" -> LocalDate.MAX;
      case "-infinity" -> LocalDate.MIN;
      case "0044-03-15 BC" -> LocalDate.of(-43, 3, 15);
      default -> LocalDate.parse(text.length() > 10 ? "+" + text : text);
    };
  }

  private static Object[] objects(PlacedTable table, String[] key, Object... more) {
    List<Object> all = new ArrayList<>();
    for (int at = 0; at < key.length; at++) {
      all.add(object(table.types().get(at), key[at]));
    }
    all.addAll(List.of(more));
    return all.toArray();
  }

  // ---- what is done

  private void load(PlacedTable table, Twin twin, Twin binary) throws SQLException, IOException {
    String into = "INSERT INTO %s (%s, id, v)".formatted(table.name(), table.columnList());
    String one = into + " VALUES (" + questions(table) + ", ?, ?)";
    StringBuilder copied = new StringBuilder();
    List<String> rows = new ArrayList<>();
    for (int at = 0; at < keys.size(); at++) {
      String[] key = keys.get(at);
      twin.run(into + " VALUES (" + literals(table, key) + ", 1, " + at + ")");
      twin.run(one, objects(table, key, 2, at));
      binary.run(one, objects(table, key, 3, at));
      rows.add("(" + literals(table, key) + ", 4, " + at + ")");
      copied.append(String.join("\t", key)).append("\t5\t").append(at).append('\n');
    }
    twin.run(into + " VALUES " + String.join(", ", rows) + " RETURNING *");
    twin.copy(
        "COPY %s (%s, id, v) FROM STDIN".formatted(table.name(), table.columnList()),
        copied.toString());
    twin.run(
        "INSERT INTO %1$s (id, %2$s, v) SELECT id, %2$s, v + 1 FROM %3$s WHERE id < 4"
            .formatted(beside(table), table.columnList(), table.name()));
    if (table.types().stream().noneMatch(PlacementMethodsIT::isCutByAssignment)) {
      twin.run(
          "INSERT INTO %1$s (id, %2$s) SELECT 9, %3$s"
              .formatted(beside(table), table.columnList(), literals(table, keys.get(0))));
    }
    twin.run("SELECT * FROM " + beside(table));
  }

  /** A number of a SELECT is an integer or bigint, and the router does not narrow it. */
  private static boolean isCutByAssignment(KeyType type) {
    return type == KeyType.SMALLINT || type == KeyType.NUMERIC;
  }

  private void read(PlacedTable table, Twin twin) throws SQLException, IOException {
    String from = "SELECT * FROM " + table.name();
    twin.run(from);
    twin.run("SELECT count(*), sum(v), min(id) FROM " + table.name());
    twin.run("SELECT id, count(*), sum(v) FROM " + table.name() + " GROUP BY id");
    for (String[] key : keys) {
      twin.run(from + " WHERE " + isKey(table, key));
      twin.run("SELECT count(*) FROM " + table.name() + " WHERE " + isKey(table, key));
      for (int at = 0; at < key.length; at++) {
        twin.run(from + " WHERE " + isColumn(table, at, key[at]));
      }
    }
    for (int at = 0; at < table.types().size(); at++) {
      int column = at;
      String some =
          keys.stream()
              .limit(5)
              .map(key -> table.types().get(column).literal(key[column]))
              .collect(Collectors.joining(", "));
      twin.run(from + " WHERE " + table.columns().get(at) + " IN (" + some + ")");
      twin.run(from + " WHERE " + table.columns().get(at) + " = NULL");
    }
    String all =
        IntStream.range(0, table.types().size())
            .mapToObj(
                at ->
                    "%s IN (%s)"
                        .formatted(
                            table.columns().get(at),
                            keys.stream()
                                .limit(4)
                                .map(key -> table.types().get(at).literal(key[at]))
                                .collect(Collectors.joining(", "))))
            .collect(Collectors.joining(" AND "));
    twin.run(from + " WHERE " + all);
  }

  private void prepared(PlacedTable table, Twin twin) throws SQLException, IOException {
    String isKey =
        table.columns().stream()
            .map(column -> column + " = ?")
            .collect(Collectors.joining(" AND "));
    for (String[] key : keys) {
      Object[] values = objects(table, key);
      twin.run("SELECT * FROM " + table.name() + " WHERE " + isKey, values);
      twin.run("SELECT * FROM " + table.name() + " WHERE k1 = ?", values[0]);
      twin.run("UPDATE " + table.name() + " SET v = v + 1 WHERE " + isKey + " AND id = 2", values);
    }
  }

  private void join(PlacedTable table, Twin twin) throws SQLException, IOException {
    String join =
        "SELECT a.id, b.id, a.v, b.v FROM %s a JOIN %s b USING (%s)"
            .formatted(table.name(), beside(table), table.columnList());
    twin.run(join);
    twin.run(join + " WHERE a.id = b.id");
    String a =
        IntStream.range(0, table.types().size())
            .mapToObj(at -> "a." + isColumn(table, at, keys.get(0)[at]))
            .collect(Collectors.joining(" AND "));
    twin.run(join + " WHERE " + a);
    twin.run(
        "SELECT count(*) FROM %s a WHERE EXISTS (SELECT 1 FROM %s b WHERE (%s) = (%s))"
            .formatted(
                table.name(),
                beside(table),
                table.columns().stream().map(c -> "a." + c).collect(Collectors.joining(", ")),
                table.columns().stream().map(c -> "b." + c).collect(Collectors.joining(", "))));
  }

  private void write(PlacedTable table, Twin twin) throws SQLException, IOException {
    String name = table.name();
    String into = "INSERT INTO %s (%s, id, v)".formatted(name, table.columnList());
    String conflict = " ON CONFLICT (%s, id) DO UPDATE SET v = %s.v + excluded.v RETURNING v";
    List<String> rows = new ArrayList<>();
    for (String[] key : keys) {
      rows.add("(" + literals(table, key) + ", 4, 1000)");
      twin.run(into + " VALUES (" + literals(table, key) + ", 1, 5) ON CONFLICT DO NOTHING");
      twin.run(into + " VALUES (" + literals(table, key) + ", 1, 5)");
      twin.run(
          into
              + " VALUES ("
              + literals(table, key)
              + ", 1, 7)"
              + conflict.formatted(table.columnList(), name));
      twin.run("UPDATE " + name + " SET v = v + 3 WHERE " + isKey(table, key) + " RETURNING *");
    }
    twin.run(
        into + " VALUES " + String.join(", ", rows) + conflict.formatted(table.columnList(), name));
    twin.run("UPDATE " + name + " SET v = v * 2 WHERE " + isColumn(table, 0, keys.get(0)[0]));
    twin.run("UPDATE " + name + " SET note = 'n' WHERE id = 3");
    twin.run(
        "UPDATE %1$s a SET v = b.v FROM %2$s b WHERE (%3$s) = (%4$s) AND a.id = b.id"
            .formatted(
                name,
                beside(table),
                table.columns().stream().map(c -> "a." + c).collect(Collectors.joining(", ")),
                table.columns().stream().map(c -> "b." + c).collect(Collectors.joining(", "))));
    twin.run("SELECT * FROM " + name);
    twin.run("DELETE FROM " + name + " WHERE " + isKey(table, keys.get(1)) + " AND id < 3");
    twin.run(
        "DELETE FROM " + name + " WHERE " + isColumn(table, 0, keys.get(0)[0]) + " AND id = 5");
    twin.run("DELETE FROM " + name + " WHERE id = 4 RETURNING id");
    twin.run("SELECT * FROM " + name);
  }

  /** NULL as on one PostgreSQL; a row without a place by the router alone. */
  private void refuse(PlacedTable table, Twin twin, Connection routed)
      throws SQLException, IOException {
    String into = "INSERT INTO %s (%s, id)".formatted(table.name(), table.columnList());
    for (int at = 0; at < table.types().size(); at++) {
      String[] key = keys.get(0).clone();
      List<String> values = new ArrayList<>();
      for (int each = 0; each < key.length; each++) {
        values.add(each == at ? "NULL" : table.types().get(each).literal(key[each]));
      }
      twin.run(into + " VALUES (" + String.join(", ", values) + ", 77)");
    }
    try (Connection node = cluster.node(0).connectAsSuperuser()) {
      RouterPlacement placement = RouterPlacement.of(table, node);
      SplittableRandom random = new SplittableRandom(SEED);
      for (int tries = 0; tries < 200; tries++) {
        String[] key = table.randomKey(random);
        if (placement.partition(false, key) == RouterPlacement.UNCOVERED) {
          assertEquals("23514", state(routed, into + " VALUES (" + literals(table, key) + ", 77)"));
          return;
        }
      }
    }
  }

  private static String state(Connection connection, String sql) {
    return assertThrows(SQLException.class, () -> execute(connection, sql), sql).getSQLState();
  }

  // ---- the nodes

  /** Each node has the rows that the router's function gives it, and all together are all. */
  private void checkNodes(PlacedTable table, Connection plain) throws SQLException {
    for (String name : List.of(table.name(), beside(table))) {
      String rows = "SELECT %s, id FROM %s".formatted(columnsAsText(table), name);
      List<List<String>> all = new ArrayList<>();
      for (LocalNode each : cluster.nodes()) {
        try (Connection node = each.connectAsSuperuser()) {
          RouterPlacement placement = RouterPlacement.of(table, node);
          int id =
              Integer.parseInt(
                  rows(node, "SELECT node_id FROM abelian.node WHERE port = " + each.port())
                      .get(0)
                      .get(0));
          for (List<String> row : rows(node, rows)) {
            String[] key = row.subList(0, row.size() - 1).toArray(String[]::new);
            assertEquals(id, placement.node(key), name + " " + row);
            all.add(row);
          }
          checkForeignRow(table, name, placement, id, node);
        }
      }
      assertEquals(sorted(rows(plain, rows)), sorted(all), name);
      assertTrue(all.size() > 0, name);
    }
  }

  /** A node takes no row of another's, whoever brings it. */
  private void checkForeignRow(
      PlacedTable table, String name, RouterPlacement placement, int id, Connection node) {
    for (String[] key : keys) {
      if (placement.node(key) != id) {
        String sql =
            "INSERT INTO %s (%s, id) VALUES (%s, 88)"
                .formatted(name, table.columnList(), literals(table, key));
        assertEquals("23514", state(node, sql), sql);
        return;
      }
    }
  }

  private static String columnsAsText(PlacedTable table) {
    return table.columns().stream().map(c -> c + "::text").collect(Collectors.joining(", "));
  }

  private static List<String> sorted(List<List<String>> rows) {
    return rows.stream().map(List::toString).sorted().toList();
  }

  private static List<List<String>> rows(Connection connection, String sql) throws SQLException {
    List<List<String>> found = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        List<String> row = new ArrayList<>();
        for (int at = 1; at <= columns; at++) {
          row.add(rows.getString(at));
        }
        found.add(row);
      }
    }
    return found;
  }
}
