package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads of several nodes with LIMIT and OFFSET but no order give so many different rows. */
@WithCluster
class LimitedReadsIT {
  private static final int ROWS = 40;

  private final RouterServer router;
  private Connection connection;

  LimitedReadsIT(LocalCluster cluster, RouterServer router) {
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    connection = router.connect();
    run("DROP TABLE IF EXISTS many");
    run("CREATE TABLE many (id int PRIMARY KEY, owner int, likes abelian.counter, note text)");
    run("SELECT create_distributed_table('many', 'id')");
    // Some rows are larger than what the router passes on as a whole.
    run(
        "INSERT INTO many SELECT i, 1, i, repeat('x', CASE WHEN i % 3 = 0 THEN 40000 ELSE 5 END)"
            + " FROM generate_series(1, "
            + ROWS
            + ") i");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The rows' numbers, after a look at what else they have. */
  private static List<Integer> ids(ResultSet rows) throws SQLException {
    List<Integer> ids = new ArrayList<>();
    assertEquals("id", rows.getMetaData().getColumnLabel(1));
    while (rows.next()) {
      int id = rows.getInt("id");
      assertEquals(id, rows.getLong("likes"));
      assertEquals(id % 3 == 0 ? 40000 : 5, rows.getString("note").length());
      ids.add(id);
    }
    assertEquals(ids.size(), new HashSet<>(ids).size(), () -> "a row came twice: " + ids);
    return ids;
  }

  private void gives(int expected, String tail) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT * FROM many WHERE owner = 1 " + tail)) {
      assertEquals(expected, ids(rows).size(), tail);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "7, LIMIT 7",
    "40, LIMIT 100",
    "0, LIMIT 0",
    "30, OFFSET 10",
    "0, OFFSET 40",
    "0, LIMIT 5 OFFSET 100",
    "5, LIMIT 5 OFFSET 33",
    "3, LIMIT 5 OFFSET 37",
    "40, LIMIT ALL",
    "40, LIMIT NULL OFFSET NULL",
    "25, LIMIT NULL OFFSET 15",
    "6, LIMIT 6 OFFSET NULL",
    "4, FETCH FIRST 4 ROWS ONLY",
    "1, FETCH FIRST ROW ONLY",
    "9, OFFSET 3 ROWS FETCH NEXT 9 ROWS ONLY",
    "5, LIMIT 2 + 3",
    "3, 'LIMIT length(current_user::text) - length(current_user::text) + 3'"
  })
  void soManyRowsCome(int expected, String tail) throws SQLException {
    gives(expected, tail);
  }

  @ParameterizedTest
  @ValueSource(strings = {"extendedForPrepared", "simple"})
  void limitsAreValuesOfAnyInteger(String mode) throws SQLException {
    String url = router.jdbcUrl() + "?preferQueryMode=" + mode;
    try (Connection client = DriverManager.getConnection(url, LocalNode.USER, LocalNode.USER);
        PreparedStatement read =
            client.prepareStatement("SELECT * FROM many WHERE owner = ? LIMIT ? OFFSET ?")) {
      for (int time = 0; time < 8; time++) { // a driver prepares on the server at the fifth
        read.setInt(1, 1);
        read.setInt(2, 6 + time);
        read.setLong(3, 30);
        assertEquals(Math.min(10, 6 + time), count(read));
        read.setObject(2, 4 + time, Types.BIGINT);
        read.setShort(3, (short) time);
        assertEquals(4 + time, count(read));
        read.setNull(2, Types.BIGINT);
        read.setNull(3, Types.INTEGER);
        assertEquals(ROWS, count(read));
      }
    }
  }

  private static int count(PreparedStatement read) throws SQLException {
    try (ResultSet rows = read.executeQuery()) {
      return ids(rows).size();
    }
  }

  /**
   * Each node has some ten rows, of which three are too large to be kept until there are enough.
   */
  @ParameterizedTest
  @CsvSource({"1, true", "1, false", "9, true", "9, false", "25, true", "30, true"})
  void oneNodesRowsAreNotMoreOrLessThanThoseOfAll(int limit, boolean autoCommit)
      throws SQLException {
    connection.setAutoCommit(autoCommit);
    try (PreparedStatement read =
        connection.prepareStatement("SELECT * FROM many WHERE id % 3 <> ? LIMIT ?")) {
      for (int time = 0; time < 12; time++) {
        read.setInt(1, time < 6 ? 0 : 3); // at first none of the large ones
        read.setInt(2, limit);
        assertEquals(Math.min(limit, time < 6 ? 27 : ROWS), count(read));
      }
    }
    connection.setAutoCommit(true);
  }

  @Test
  void nodesThatAllHaveEnoughAreAskedInTurn() throws SQLException {
    Set<Integer> first = new HashSet<>();
    try (PreparedStatement read = connection.prepareStatement("SELECT id FROM many LIMIT 2")) {
      for (int time = 0; time < 12; time++) {
        try (ResultSet rows = read.executeQuery()) {
          assertTrue(rows.next());
          first.add(rows.getInt(1));
        }
      }
    }
    assertEquals(3, first.size(), "each gives its own first row");
  }

  @Test
  void rowsOfOneNodeAreFoundThoughOthersHaveNone() throws SQLException {
    try (PreparedStatement read =
        connection.prepareStatement("SELECT * FROM many WHERE id = id + ? * (id - ?) LIMIT 1")) {
      for (int time = 0; time < 6; time++) {
        read.setInt(1, 0); // every row
        read.setInt(2, 0);
        assertEquals(1, count(read));
      }
      for (int id = 1; id <= ROWS; id++) {
        read.setInt(1, 1); // one row
        read.setInt(2, id);
        assertEquals(1, count(read));
      }
    }
  }

  @Test
  void aBlockSeesItsOwnChangesOnWhicheverNode() throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement change =
            connection.prepareStatement("UPDATE many SET owner = ? WHERE id = ?");
        PreparedStatement read =
            connection.prepareStatement("SELECT * FROM many WHERE owner >= ? LIMIT 1")) {
      for (int id = 1; id <= ROWS; id++) {
        change.setInt(1, id + 1);
        change.setInt(2, id);
        change.executeUpdate();
        read.setInt(1, id + 1);
        assertEquals(1, count(read));
        read.setInt(1, 0);
        assertEquals(1, count(read));
      }
    }
    connection.rollback();
    connection.setAutoCommit(true);
  }

  @Test
  void aTransactionThatStaysOnOneNodeIsRefusedSeveralAsEver() throws SQLException {
    try (PreparedStatement read =
        connection.prepareStatement("SELECT * FROM many WHERE owner = ? LIMIT 1")) {
      read.setInt(1, 1);
      for (int time = 0; time < 6; time++) {
        assertEquals(1, count(read));
      }
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      connection.createStatement().execute("SET LOCAL abelian.distributed_isolation = 'one_node'");
      assertEquals("0A000", assertThrows(SQLException.class, () -> count(read)).getSQLState());
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  @ParameterizedTest
  @CsvSource({"LIMIT -1, 2201W", "LIMIT 3 OFFSET -1, 2201X", "LIMIT -1 OFFSET 5, 2201W"})
  void negativeLimitsAreErrors(String tail, String state) {
    SQLException error = assertThrows(SQLException.class, () -> gives(0, tail));
    assertEquals(state, error.getSQLState());
  }

  @ParameterizedTest
  @CsvSource({"1, 20, 0", "3, 20, 0", "7, 20, 13", "5, 5, 0", "50, 50, 0", "4, 40, 1"})
  void portionsEndWhereTheLimitIs(int portion, int limit, int offset) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.setFetchSize(portion);
      try (ResultSet rows =
          statement.executeQuery("SELECT * FROM many LIMIT " + limit + " OFFSET " + offset)) {
        assertEquals(Math.min(limit, ROWS - offset), ids(rows).size());
      }
    }
    connection.commit();
  }

  @Test
  void otherStatementsTakeSoMany() throws SQLException {
    run("CREATE TEMPORARY TABLE taken AS SELECT id FROM many LIMIT 9 OFFSET 2");
    assertEquals("9", answer("SELECT count(DISTINCT id) FROM taken"));
    assertEquals("4", answer("SELECT count(DISTINCT id) FROM (SELECT id FROM many LIMIT 4) s"));
  }

  @Test
  void aCursorOverSoManyGoesBackwards() throws SQLException {
    connection.setAutoCommit(false);
    run("DECLARE c SCROLL CURSOR FOR SELECT id FROM many LIMIT 6");
    String second = answer("FETCH ABSOLUTE 2 FROM c");
    answer("FETCH FROM c");
    assertEquals(second, answer("FETCH PRIOR FROM c"));
    connection.commit();
  }

  @Test
  void nodesGiveNoMoreAndNobodyFinishesThem() throws SQLException {
    String plan = answer("EXPLAIN (COSTS OFF) SELECT id FROM many LIMIT 4 OFFSET 3");
    assertTrue(plan.contains("the first of them are given one node's after the other's"), plan);
    assertTrue(plan.contains("Limit"), plan);
    assertFalse(plan.contains("or one node's"), plan);
    String any = answer("EXPLAIN (COSTS OFF) SELECT id FROM many LIMIT 4");
    assertTrue(any.contains("or one node's where one is likely to have all"), any);
    String sorted = answer("EXPLAIN (COSTS OFF) SELECT id FROM many ORDER BY id LIMIT 4");
    assertTrue(sorted.contains("one node finishes it"), sorted);
  }

  private String answer(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> lines = new ArrayList<>();
      while (rows.next()) {
        lines.add(rows.getString(1));
      }
      return String.join("\n", lines);
    }
  }
}
