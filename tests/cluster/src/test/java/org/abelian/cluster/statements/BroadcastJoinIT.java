package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A broadcast join asks its nodes twice: for the rows of the smaller table, and for what they make
 * of these and their own. What it answers is of one snapshot, and whatever ends it leaves nothing.
 */
@WithCluster
class BroadcastJoinIT {
  private static final int SHOPS = 20;
  private static final int READS = 150;
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());

  /** Rows of one shop tell the same sum, turned round; others are there to be many. */
  private static final String TORN =
      "SELECT count(*) FROM sale JOIN shop ON shop.id = sale.shop WHERE shop.total <> -sale.amount";

  private final LocalCluster cluster;

  BroadcastJoinIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void create() throws SQLException {
    try (Connection connection = connect()) {
      run(
          connection,
          "DROP TABLE IF EXISTS shop, sale CASCADE",
          "CREATE TABLE shop (id int PRIMARY KEY, total int)",
          "CREATE TABLE sale (id int PRIMARY KEY, shop int, amount int, note text)",
          "SELECT create_distributed_table('shop', 'id')",
          "SELECT create_distributed_table('sale', 'id')",
          "CREATE OR REPLACE FUNCTION slow(n int) RETURNS boolean STABLE LANGUAGE plpgsql AS"
              + " 'BEGIN PERFORM pg_sleep(0.005); RETURN true; END'",
          "INSERT INTO shop SELECT i, 0 FROM generate_series(1, " + SHOPS + ") i",
          "INSERT INTO sale SELECT i, CASE WHEN i <= "
              + SHOPS
              + " THEN i END, 0, repeat('x', 40)"
              + " FROM generate_series(1, 3000) i",
          "ANALYZE shop, sale");
    }
  }

  @AfterEach
  void drop() throws SQLException {
    try (Connection connection = connect()) {
      run(connection, "DROP TABLE shop, sale CASCADE", "DROP FUNCTION slow");
    }
  }

  private Connection connect() throws SQLException {
    Connection connection = cluster.connect();
    run(connection, "SET abelian.min_broadcast_size = 0");
    return connection;
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static void assertIsBroadcastJoin(Connection connection, String sql) throws SQLException {
    String plan = String.join("\n", Twins.run(connection, "EXPLAIN " + sql));
    assertTrue(plan.contains("broadcast join"), plan);
  }

  /** Estimating the rows runs a function of constants, which meets rows of one node only. */
  @Test
  void aFunctionOverOtherTablesThatThePlannerRunsForAnEstimateHindersNothing() throws SQLException {
    try (Connection connection = connect()) {
      run(
          connection,
          "CREATE FUNCTION beyond(shop int) RETURNS int STABLE LANGUAGE sql"
              + " AS 'SELECT min(id) FROM shop WHERE id > $1'");
      assertEquals(
          List.of("1|"),
          Twins.run(
              connection,
              "SELECT count(*) FROM sale WHERE shop IN (SELECT shop.id FROM shop"
                  + " WHERE id IN (SELECT beyond(7) FROM generate_series(1, 3)))"));
      run(connection, "DROP FUNCTION beyond");
    }
  }

  /** Without the snapshot that both rounds share, both variants fail at their first read. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void bothRoundsSeeEachTransactionWhollyOrNotAtAll(boolean autoCommit) throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService writers = Executors.newFixedThreadPool(3);
    List<Future<Integer>> written = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Random random = new Random(SEED + i);
      written.add(writers.submit(() -> write(random, over)));
    }
    try (Connection reader = connect()) {
      reader.setAutoCommit(autoCommit);
      assertIsBroadcastJoin(reader, TORN);
      for (int i = 0; i < READS; i++) {
        assertEquals(List.of("0|"), Twins.run(reader, TORN), "read " + i + ", seed " + SEED);
      }
    } finally {
      over.set(true);
      writers.shutdown();
    }
    int transactions = 0;
    for (Future<Integer> one : written) {
      transactions += one.get(60, TimeUnit.SECONDS);
    }
    assertTrue(transactions > READS / 3, transactions + " transactions prove little");
  }

  /** Adds to a shop what is taken from its row in the other table. */
  private int write(Random random, AtomicBoolean over) throws SQLException {
    int transactions = 0;
    try (Connection connection = cluster.connect();
        PreparedStatement shop =
            connection.prepareStatement("UPDATE shop SET total = total + ? WHERE id = ?");
        PreparedStatement sale =
            connection.prepareStatement("UPDATE sale SET amount = amount - ? WHERE id = ?")) {
      connection.setAutoCommit(false);
      while (!over.get()) {
        int which = 1 + random.nextInt(SHOPS);
        int amount = 1 + random.nextInt(9);
        for (PreparedStatement update : List.of(shop, sale)) {
          update.setInt(1, amount);
          update.setInt(2, which);
          update.executeUpdate();
        }
        connection.commit();
        transactions++;
      }
    }
    return transactions;
  }

  @Test
  void whatATransactionHasWrittenIsJoined() throws SQLException {
    try (Connection connection = connect()) {
      connection.setAutoCommit(false);
      run(connection, "UPDATE shop SET total = 3 WHERE id = 7");
      assertIsBroadcastJoin(connection, TORN);
      assertEquals(List.of("1|"), Twins.run(connection, TORN));
      run(connection, "UPDATE sale SET amount = -3 WHERE shop = 7");
      assertEquals(List.of("0|"), Twins.run(connection, TORN));
      connection.rollback();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT sum(1 / (total + amount)) FROM sale JOIN shop ON shop.id = sale.shop",
        "SELECT count(*) FROM sale JOIN shop ON shop.id = sale.shop AND 1 / total > 0"
      })
  void anErrorInEitherRoundEndsItAndNothingElse(String sql) throws SQLException {
    try (Connection connection = connect()) {
      assertIsBroadcastJoin(connection, sql);
      assertEquals(
          "22012",
          assertThrows(SQLException.class, () -> Twins.run(connection, sql)).getSQLState());
      assertEquals(List.of("0|"), Twins.run(connection, TORN));
    }
  }

  @Test
  void aTimeoutEndsItsSecondRound() throws SQLException {
    try (Connection connection = connect()) {
      run(connection, "SET statement_timeout = '500ms'");
      SQLException error =
          assertThrows(SQLException.class, () -> Twins.run(connection, TORN + " AND slow(amount)"));
      assertEquals("57014", error.getSQLState());
      run(connection, "RESET statement_timeout");
      assertEquals(List.of("0|"), Twins.run(connection, TORN));
    }
  }

  @Test
  void aNodeThatIsLostInItsSecondRoundGivesAnErrorAndNoPartOfTheAnswer() throws Exception {
    String slow = "SELECT count(*) FROM sale JOIN shop ON shop.id = sale.shop AND slow(amount)";
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection connection = connect()) {
      assertIsBroadcastJoin(connection, slow);
      Future<List<String>> answer = thread.submit(() -> Twins.run(connection, slow));
      terminate(cluster.node(1));
      Exception error = assertThrows(Exception.class, () -> answer.get(60, TimeUnit.SECONDS));
      assertTrue(error.getCause() instanceof SQLException, String.valueOf(error));
    } finally {
      thread.shutdown();
    }
    try (Connection connection = connect()) {
      assertEquals(List.of("0|"), Twins.run(connection, TORN));
    }
  }

  /** Ends the session that joins, once it does. */
  private static void terminate(LocalNode node) throws Exception {
    String joins =
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE state = 'active' AND"
            + " query LIKE '%unnest(%slow(%' AND pid <> pg_backend_pid()";
    try (Connection connection = node.connectAsSuperuser()) {
      for (int i = 0; i < 1000; i++) {
        if (!Twins.run(connection, joins).equals(List.of("0|"))) {
          return;
        }
        Thread.sleep(10);
      }
    }
    throw new AssertionError("no node joins");
  }
}
