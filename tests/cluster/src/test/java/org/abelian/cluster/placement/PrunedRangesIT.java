package org.abelian.cluster.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.util.SplittableRandom;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Statements about a range of keys ask the nodes that can hold such keys and no others, and give
 * what one PostgreSQL gives.
 */
@WithNode
@WithCluster
class PrunedRangesIT {
  private static final int ROUNDS = Integer.getInteger("abelian.ranges.rounds", 25);
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());
  private static final String[] OPERATORS = {"<", "<=", ">", ">="};
  private static final String[] TABLES = {"ranged", "daily", "named", "decade", "spread", "duo"};

  private static final String[] CREATE = {
    "CREATE TABLE ranged (k bigint PRIMARY KEY, v int)",
    "CREATE TABLE daily (k date PRIMARY KEY, v int)",
    "CREATE TABLE named (k text COLLATE \"C\" PRIMARY KEY, v int)",
    "CREATE TABLE decade (k int PRIMARY KEY, v int)",
    "CREATE TABLE spread (k int PRIMARY KEY, v int)",
    "CREATE TABLE duo (k smallint, d date, v int, PRIMARY KEY (k, d))",
    "INSERT INTO ranged SELECT n, n FROM generate_series(-20, 299) n",
    "INSERT INTO ranged VALUES (9223372036854775807, 1), (-9223372036854775808, 2)",
    "INSERT INTO daily SELECT date '2024-01-01' + n, n FROM generate_series(0, 299) n",
    "INSERT INTO daily VALUES ('infinity', 1), ('-infinity', 2), ('0044-03-15 BC', 3)",
    "INSERT INTO named SELECT chr(97 + n / 12) || chr(97 + n % 12), n FROM generate_series(0, 299)"
        + " n",
    "INSERT INTO named VALUES ('', 1), ('é', 2), ('Zz', 3), ('ab ', 4)",
    "INSERT INTO decade SELECT n, n FROM generate_series(1, 300) n",
    "INSERT INTO spread SELECT n, n FROM generate_series(1, 300) n",
    "INSERT INTO duo SELECT n % 30, date '2024-01-01' + n, n FROM generate_series(0, 299) n"
  };

  private static final String[] PLACE = {
    "CALL create_distributed_table('ranged', 'k', 'range', 'none',"
        + " rule => 'WHEN k < 100 THEN 0 WHEN k < 200 THEN 1 ELSE 2', partition_count => 3)",
    "CALL create_distributed_table('daily', 'k', 'range', 'none', rule => $$ WHEN k <"
        + " '2024-03-01' THEN 0 WHEN k < '2024-06-01' THEN 1 ELSE 2 $$, partition_count => 3)",
    "CALL create_distributed_table('named', 'k', 'range', 'none', rule => $$ WHEN k < 'h' THEN 0"
        + " WHEN k < 'p' THEN 1 ELSE 2 $$, partition_count => 3)",
    "CALL create_distributed_table('decade', 'k / 10', 'range', 'none',"
        + " rule => 'WHEN k / 10 < 10 THEN 0 WHEN k / 10 < 20 THEN 1 ELSE 2',"
        + " partition_count => 3)",
    "CALL create_distributed_table('spread', 'k', colocate_with => 'none')",
    "CALL create_distributed_table('duo', 'k, d', 'rules', 'none', rule => $$ WHEN k < 10 AND d <"
        + " '2024-06-01' THEN 0 WHEN k < 20 THEN 1 ELSE HASH(k) $$, partition_count => 3)"
  };

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final Connection plain;
  private final Connection routed;
  private final Twin twin;

  PrunedRangesIT(LocalNode single, RouterServer router) throws SQLException {
    plain = connect(single.jdbcUrl());
    routed = connect(router.jdbcUrl());
    twin = new Twin(plain, routed);
  }

  private static Connection connect(String url) throws SQLException {
    return DriverManager.getConnection(url + "?prepareThreshold=2", LocalNode.USER, LocalNode.USER);
  }

  @BeforeEach
  void create() throws SQLException {
    for (Connection connection : new Connection[] {plain, routed}) {
      drop(connection);
      for (String command : CREATE) {
        if (command.startsWith("INSERT") && connection == routed) {
          continue;
        }
        execute(connection, command);
      }
    }
    for (String command : PLACE) {
      execute(routed, command);
    }
    for (String command : CREATE) {
      if (command.startsWith("INSERT")) {
        load(command);
      }
    }
  }

  /** Rows that a query makes are brought there one by one, each with its key. */
  private void load(String command) throws SQLException {
    String table = command.split(" ")[2];
    if (command.contains("VALUES")) {
      execute(routed, command);
      return;
    }
    String select = command.substring(command.indexOf("SELECT"));
    StringBuilder rows = new StringBuilder();
    try (Statement statement = plain.createStatement();
        ResultSet made = statement.executeQuery("SELECT format('%s', q) FROM (" + select + ") q")) {
      while (made.next()) {
        String row = made.getString(1);
        String quoted = row.substring(1, row.length() - 1).replace(",", "', '");
        rows.append(rows.isEmpty() ? "" : ", ").append("('").append(quoted).append("')");
      }
    }
    execute(routed, "INSERT INTO " + table + " VALUES " + rows);
  }

  @AfterEach
  void drop() throws SQLException {
    drop(plain);
    drop(routed);
    plain.close();
    routed.close();
  }

  private static void drop(Connection connection) throws SQLException {
    execute(connection, "DROP TABLE IF EXISTS " + String.join(", ", TABLES));
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void rangesGiveWhatOnePostgresGives() throws SQLException, IOException {
    try {
      for (int round = 0; round < ROUNDS; round++) {
        for (String table : TABLES) {
          String constants = range(table, false);
          twin.run("SELECT * FROM " + table + " WHERE " + constants);
          twin.run("SELECT count(*), sum(v) FROM " + table + " WHERE " + range(table, false));
          twin.run(
              "SELECT a.k, b.v FROM %1$s a JOIN %1$s b USING (k%2$s) WHERE a.%3$s"
                  .formatted(table, table.equals("duo") ? ", d" : "", range(table, false)));
          twin.run("UPDATE " + table + " SET v = v + 1 WHERE " + range(table, false));
          twin.run(
              "SELECT * FROM " + table + " WHERE " + range(table, true),
              value(table),
              value(table));
          twin.run(
              "UPDATE " + table + " SET v = v + 1 WHERE " + range(table, true),
              value(table),
              value(table));
          if (round % 8 == 0) {
            twin.run("DELETE FROM " + table + " WHERE k >= ? AND k <= ?", few(table));
          }
        }
      }
      for (String table : TABLES) {
        twin.run("SELECT * FROM " + table);
      }
    } catch (AssertionError e) {
      throw new AssertionError("seed " + SEED, e);
    }
  }

  private String range(String table, boolean isParameter) {
    String first = isParameter ? "?" : literal(table);
    String second = isParameter ? "?" : literal(table);
    return switch (random.nextInt(4)) {
      case 0 -> "k BETWEEN " + first + " AND " + second;
      case 1 -> "k >= " + first + " AND k < " + second;
      default -> "k " + any() + " " + first + " AND k " + any() + " " + second;
    };
  }

  private String any() {
    return OPERATORS[random.nextInt(OPERATORS.length)];
  }

  private String literal(String table) {
    Object value = value(table);
    return switch (table) {
      case "daily" -> (random.nextBoolean() ? "date '" : "'") + value + "'";
      case "named" -> "'" + value + "'";
      default -> value + (random.nextInt(4) == 0 ? ".5" : "");
    };
  }

  private Object value(String table) {
    return switch (table) {
      case "daily" -> Date.valueOf(LocalDate.of(2024, 1, 1).plusDays(random.nextInt(-5, 305)));
      case "named" -> "" + (char) ('a' + random.nextInt(26)) + (random.nextBoolean() ? "" : "f");
      case "duo" -> random.nextInt(-2, 32);
      default -> random.nextInt(-30, 320);
    };
  }

  private Object[] few(String table) {
    Object value = value(table);
    return new Object[] {value, value};
  }

  @Test
  void explainTellsTheNodes() throws SQLException {
    assertNodes(2, "ranged", "k >= 50 AND k < 150");
    assertNodes(1, "ranged", "k BETWEEN 120 AND 180");
    assertNodes(2, "ranged", "k > 120");
    assertNodes(1, "ranged", "k >= 200");
    assertNodes(1, "ranged", "k > 199.5");
    assertNodes(3, "ranged", "k <> 5");
    assertNodes(1, "ranged", "k < 5 AND k > 10");
    assertNodes(2, "daily", "k >= '2024-02-01' AND k < '2024-06-01'");
    assertNodes(3, "daily", "k >= '2024-02-01'");
    assertNodes(1, "daily", "k BETWEEN '2024-03-01' AND '2024-05-31'");
    assertNodes(3, "daily", "k < 'today'");
    assertNodes(2, "named", "k < 'hf'");
    assertNodes(1, "named", "k >= 'p'");
    assertNodes(1, "decade", "k BETWEEN 100 AND 199");
    assertNodes(2, "decade", "k BETWEEN 99 AND 199");
    assertNodes(1, "spread", "k BETWEEN 5 AND 5");
    assertNodes(3, "spread", "k < 5");
    assertNodes(1, "duo", "k BETWEEN 10 AND 19");
    assertNodes(2, "duo", "k < 20");
    assertNodes(1, "duo", "k < 10 AND d < '2024-05-01'");
  }

  private void assertNodes(int expected, String table, String range) throws SQLException {
    for (String statement :
        new String[] {"SELECT * FROM %s", "DELETE FROM %s", "UPDATE %s SET v = 0"}) {
      String sql = statement.formatted(table) + " WHERE " + range;
      assertEquals(expected, nodes("EXPLAIN " + sql), sql);
    }
  }

  private int nodes(String explain, Object... values) throws SQLException {
    execute(routed, "SET abelian.explain_router = on");
    try (PreparedStatement statement = routed.prepareStatement(explain)) {
      for (int at = 0; at < values.length; at++) {
        statement.setObject(at + 1, values[at]);
      }
      try (ResultSet lines = statement.executeQuery()) {
        assertTrue(lines.next());
        String first = lines.getString(1);
        assertTrue(first.matches("Router: \\d of 3 nodes.*"), first);
        return first.charAt("Router: ".length()) - '0';
      }
    } finally {
      execute(routed, "RESET abelian.explain_router");
    }
  }

  @Test
  void parametersChooseTheNodesToo() throws SQLException {
    String sql = "EXPLAIN SELECT * FROM ranged WHERE k >= ? AND k < ?";
    assertEquals(1, nodes(sql, 100, 200L));
    assertEquals(2, nodes(sql, 100, 201));
    assertEquals(3, nodes(sql, 0, 300));
    String days = "EXPLAIN DELETE FROM daily WHERE k BETWEEN ? AND ?";
    assertEquals(2, nodes(days, LocalDate.of(2024, 2, 1), LocalDate.of(2024, 3, 1)));
  }
}
