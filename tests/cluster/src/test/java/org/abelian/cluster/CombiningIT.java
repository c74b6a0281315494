package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Operations of many sessions on one object become one statement, and each session is told what it
 * would have been told alone.
 */
@WithCluster
class CombiningIT {
  private static final int CLIENTS = 32;
  private static final int ROUNDS = 60;
  private static final AtomicInteger TABLES = new AtomicInteger();

  /** A table for each test: what idle connections did last tells what was combined. */
  private final String table = "hot_" + TABLES.incrementAndGet();

  private final String add = "UPDATE " + table + " SET likes = likes + 1 WHERE id = 1";
  private final String combined =
      "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE '%UPDATE "
          + table
          + " %abelian.combined(%'";
  private final String waiting = combined + " AND wait_event_type = 'Lock'";

  /** A way into the cluster. */
  enum Face {
    SERVER,
    DRIVER
  }

  private final LocalCluster cluster;
  private final RouterServer router;

  CombiningIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void createTable() throws SQLException {
    try (Connection owner = router.connect()) {
      run(
          owner,
          "CREATE TABLE "
              + table
              + " (id int PRIMARY KEY, likes abelian.counter NOT NULL DEFAULT 0, stock"
              + " abelian.bounded_counter(0), paid abelian.decimal_counter, high abelian.max)");
      run(owner, "SELECT create_distributed_table('" + table + "', 'id')");
      run(owner, "INSERT INTO " + table + " (id, stock, paid) VALUES (1, 500, 0), (2, 0, 0)");
    }
  }

  @AfterEach
  void dropTable() throws SQLException {
    try (Connection owner = router.connect()) {
      run(owner, "DROP TABLE " + table);
    }
  }

  private CombiningCrew crew(Face face, String... settings) throws SQLException {
    return new CombiningCrew(
        CLIENTS, face == Face.SERVER ? router::connect : cluster::connect, settings);
  }

  private LocalNode home() throws SQLException {
    for (LocalNode node : cluster.nodes()) {
      if (ProxiedCluster.number(node, "SELECT count(*) FROM " + table + " WHERE id = 1") == 1) {
        return node;
      }
    }
    throw new AssertionError("the row is nowhere");
  }

  @ParameterizedTest
  @EnumSource
  void operationsOfManySessionsShareStatementsAndAreDoneOnceEach(Face face) throws Exception {
    try (CombiningCrew crew = crew(face)) {
      runCombining(
          crew,
          (connection, client) -> {
            try (Statement statement = connection.createStatement()) {
              for (int i = 0; i < ROUNDS; i++) {
                int delta = client % 3 - 1;
                crew.add(
                    statement,
                    "UPDATE " + table + " SET likes = likes - " + -delta + " WHERE id = 1",
                    delta);
              }
            }
          });
      assertEquals(0, crew.errors(), crew::toString);
      assertEquals(crew.acknowledged(), number("SELECT likes FROM " + table + " WHERE id = 1"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void bidsOfManySessionsShareStatementsAndTheHighestStays(Face face) throws Exception {
    String bid = "UPDATE " + table + " SET high = greatest(high, ?) WHERE id = 1";
    try (CombiningCrew crew = crew(face)) {
      runCombining(
          crew,
          (connection, client) -> {
            try (PreparedStatement update = connection.prepareStatement(bid);
                PreparedStatement read =
                    connection.prepareStatement("SELECT high FROM " + table + " WHERE id = 1")) {
              for (int i = 0; i < ROUNDS; i++) {
                long amount = (long) i * CLIENTS + client;
                update.setLong(1, amount);
                assertEquals(1, update.executeUpdate());
                if (i % 8 == 0) {
                  try (ResultSet row = read.executeQuery()) {
                    row.next();
                    assertTrue(row.getLong(1) >= amount, "its own bid is lost");
                  }
                }
              }
            }
          });
      long highest = (long) ROUNDS * CLIENTS - 1;
      assertEquals(highest, number("SELECT high FROM " + table + " WHERE id = 1"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void parametersInBothFormatsAndSeveralColumnsAreAddedUp(Face face) throws Exception {
    String sql =
        "UPDATE "
            + table
            + " SET likes = likes + ?, paid = paid - ? WHERE id = ? AND stock IS"
            + " NOT NULL";
    String plain = "UPDATE " + table + " SET likes = likes + ?, paid = paid - ? WHERE id = ?";
    try (CombiningCrew crew = crew(face)) {
      runCombining(
          crew,
          (connection, client) -> {
            try (PreparedStatement update =
                connection.prepareStatement(client % 8 == 0 ? sql : plain)) {
              for (int i = 0; i < ROUNDS; i++) {
                update.setLong(1, client);
                update.setBigDecimal(2, new BigDecimal("0.25"));
                update.setInt(3, 1);
                assertEquals(1, update.executeUpdate());
                update.setInt(3, 99);
                assertEquals(0, update.executeUpdate());
              }
            }
          });
      long likes = (long) ROUNDS * CLIENTS * (CLIENTS - 1) / 2;
      assertEquals(likes, number("SELECT likes FROM " + table + " WHERE id = 1"));
      assertEquals(
          -25L * ROUNDS * CLIENTS, number("SELECT paid * 100 FROM " + table + " WHERE id = 1"));
    }
  }

  /** Lets all work, and looks meanwhile whether any of it is run for several. */
  private void runCombining(CombiningCrew crew, CombiningCrew.Work work) throws Exception {
    List<Future<Void>> clients = crew.start(work);
    boolean seen = false;
    while (clients.stream().anyMatch(client -> !client.isDone())) {
      seen |= ProxiedCluster.number(home(), combined) > 0;
    }
    CombiningCrew.await(clients);
    assertTrue(seen, "nothing was combined");
  }

  @ParameterizedTest
  @EnumSource
  void aSessionReadsItsOwnOperation(Face face) throws Exception {
    try (CombiningCrew crew = crew(face)) {
      crew.run(
          (connection, client) -> {
            long before = 0;
            for (int i = 1; i <= ROUNDS; i++) {
              run(connection, add);
              long now = number(connection, "SELECT likes FROM " + table + " WHERE id = 1");
              assertTrue(now > before, now + " after " + before);
              before = now;
            }
          });
    }
  }

  @ParameterizedTest
  @EnumSource
  void onlyTheSessionThatOverflowsIsTold(Face face) throws Exception {
    try (CombiningCrew crew = crew(face)) {
      crew.run(
          (connection, client) -> {
            boolean guilty = client % 8 == 0;
            long delta = guilty ? Long.MAX_VALUE : 1;
            try (Statement statement = connection.createStatement()) {
              run(connection, add);
              for (int i = 0; i < ROUNDS; i++) {
                String sql = "UPDATE " + table + " SET likes = likes + " + delta + " WHERE id = 1";
                assertEquals(!guilty, crew.add(statement, sql, delta), sql);
              }
            }
          });
      // Several that overflow may also deadlock when they look at the value, alone as well.
      assertTrue(crew.errors("22003") > 0, crew::toString);
      assertEquals(
          CLIENTS / 8 * ROUNDS, crew.errors("22003") + crew.errors("40P01"), crew::toString);
      assertEquals(
          crew.acknowledged() + CLIENTS, number("SELECT likes FROM " + table + " WHERE id = 1"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aStockIsSoldOutExactly(Face face) throws Exception {
    try (CombiningCrew crew = crew(face)) {
      crew.run(
          (connection, client) -> {
            int wanted = 1 + client % 3;
            try (Statement statement = connection.createStatement()) {
              for (int i = 0; i < ROUNDS; i++) {
                crew.add(
                    statement,
                    "UPDATE " + table + " SET stock = stock - " + wanted + " WHERE id = 1",
                    wanted);
              }
            }
          });
      assertEquals(crew.errors(), crew.errors("23514"), crew::toString);
      assertEquals(500, crew.acknowledged(), crew::toString);
      assertEquals(0, number("SELECT stock FROM " + table + " WHERE id = 1"));
    }
  }

  @Test
  void aSessionThatSwitchesItOffAndOneWithOtherSettingsAreRightToo() throws Exception {
    try (CombiningCrew off = crew(Face.SERVER, "SET abelian.combine = off");
        CombiningCrew other = crew(Face.SERVER, "SET extra_float_digits = 2")) {
      CombiningCrew.Work work =
          (connection, client) -> {
            for (int i = 0; i < ROUNDS; i++) {
              run(connection, add);
            }
          };
      off.run(work);
      assertEquals(0, ProxiedCluster.number(home(), combined), "off combined");
      runCombining(other, work);
      assertEquals(2L * CLIENTS * ROUNDS, number("SELECT likes FROM " + table + " WHERE id = 1"));
    }
  }

  @Test
  void inATransactionNothingIsCombined() throws Exception {
    try (CombiningCrew crew = crew(Face.DRIVER)) {
      crew.run(
          (connection, client) -> {
            connection.setAutoCommit(false);
            for (int i = 0; i < ROUNDS; i++) {
              run(connection, add);
              if (client % 2 == 0) {
                connection.commit();
              } else {
                connection.rollback();
              }
            }
          });
      assertEquals(0, ProxiedCluster.number(home(), combined));
      assertEquals(CLIENTS / 2L * ROUNDS, number("SELECT likes FROM " + table + " WHERE id = 1"));
    }
  }

  /**
   * An overwrite holds up all; a few sessions wait at the node, the others with the router. Whoever
   * cancels gets 57014, and only they.
   */
  @ParameterizedTest
  @EnumSource
  void whoCancelsIsTakenOutAndNobodyElse(Face face) throws Exception {
    LocalNode home = home();
    ConcurrentHashMap<Integer, Statement> running = new ConcurrentHashMap<>();
    try (CombiningCrew crew = crew(face);
        Connection holder = home.connectAsSuperuser()) {
      holder.setAutoCommit(false);
      run(holder, "UPDATE " + table + " SET likes = 0 WHERE id = 1");
      List<Future<Void>> clients =
          crew.start(
              (connection, client) -> {
                try (Statement statement = connection.createStatement()) {
                  running.put(client, statement);
                  crew.add(statement, add, 1);
                }
              });
      awaitCombinedWaits(home);
      for (int client = 0; client < CLIENTS; client += 4) {
        running.get(client).cancel();
      }
      holder.commit();
      CombiningCrew.await(clients);
      assertEquals(crew.errors(), crew.errors("57014"), crew::toString);
      assertTrue(crew.errors() <= CLIENTS / 4, crew::toString);
      assertEquals(CLIENTS - crew.errors(), crew.acknowledged());
      assertEquals(crew.acknowledged(), number("SELECT likes FROM " + table + " WHERE id = 1"));
    }
  }

  /** Waits, boundedly, until a combined statement waits at the node. */
  private void awaitCombinedWaits(LocalNode node) throws Exception {
    for (int i = 0; i < 500; i++) {
      if (ProxiedCluster.number(node, combined) > 0 && ProxiedCluster.number(node, waiting) > 0) {
        return;
      }
      Thread.sleep(20);
    }
    throw new AssertionError("no combined statement waits");
  }

  private long number(String query) throws SQLException {
    try (Connection connection = router.connect()) {
      return number(connection, query);
    }
  }

  private static long number(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      assertTrue(rows.next());
      return rows.getLong(1);
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
