package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cycles of waiting that no single node can see. */
@WithCluster
class DeadlockIT {
  private static final long SECONDS_MAX = 30;

  private final LocalCluster cluster;
  private final RouterServer router;
  private List<Integer> keys;

  DeadlockIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void createTable() throws SQLException {
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS locked");
      statement.execute("CREATE TABLE locked (id int PRIMARY KEY, x int)");
      statement.execute("SELECT create_distributed_table('locked', 'id')");
      for (int id = 1; id <= 30; id++) {
        statement.execute("INSERT INTO locked VALUES (" + id + ", 0)");
      }
    }
    keys = new ArrayList<>();
    for (LocalNode node : cluster.nodes()) {
      keys.add((int) ProxiedCluster.number(node, "SELECT min(id) FROM locked"));
    }
  }

  private String update(int node, String comment) {
    return "UPDATE locked SET x = x + 1 /* " + comment + " */ WHERE id = " + keys.get(node);
  }

  private static CompletableFuture<SQLException> async(Connection connection, String sql) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return null;
          } catch (SQLException e) {
            return e;
          }
        });
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void aCycleOverTwoNodesEndsWith40P01NamingBothStatementsAndOneSurvives() throws Exception {
    try (Connection one = router.connect();
        Connection two = cluster.connect()) {
      assertOneVictim(one, two);
    }
  }

  @Test
  void aCycleWithinOneRouterEndsLikewise() throws Exception {
    try (Connection one = router.connect();
        Connection two = router.connect()) {
      assertOneVictim(one, two);
    }
  }

  @Test
  void aCycleOfSuperusersEndsLikewise() throws Exception {
    try (Connection one = superuser();
        Connection two = superuser()) {
      assertOneVictim(one, two);
    }
  }

  private Connection superuser() throws SQLException {
    return DriverManager.getConnection(router.jdbcUrl(), LocalNode.SUPERUSER, LocalNode.SUPERUSER);
  }

  private void assertOneVictim(Connection one, Connection two) throws Exception {
    one.setAutoCommit(false);
    two.setAutoCommit(false);
    run(one, update(0, "one"));
    run(two, update(1, "two"));
    CompletableFuture<SQLException> first = async(one, update(1, "first waits"));
    CompletableFuture<SQLException> second = async(two, update(0, "second waits"));
    CompletableFuture.anyOf(first, second).get(SECONDS_MAX, TimeUnit.SECONDS);
    // Whoever is done first may be the other one, which the victim's end has let go on.
    boolean firstIsVictim = first.isDone() ? first.get() != null : second.get() == null;
    Connection victim = firstIsVictim ? one : two;
    SQLException error = firstIsVictim ? first.get() : second.get(SECONDS_MAX, TimeUnit.SECONDS);
    assertEquals("40P01", error.getSQLState(), error.toString());
    assertTrue(error.toString().contains("first waits"), error.toString());
    assertTrue(error.toString().contains("second waits"), error.toString());
    victim.rollback();
    SQLException other = (firstIsVictim ? second : first).get(SECONDS_MAX, TimeUnit.SECONDS);
    assertEquals(null, other, "the innocent one was cancelled, too");
    (firstIsVictim ? two : one).commit();
  }

  @Test
  void groupsOfMessagesThatNameRowsInOneOrderMeetInNoDeadlock() throws Exception {
    int clients = 12;
    int groups = 10;
    List<CompletableFuture<String>> errors = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      errors.add(CompletableFuture.supplyAsync(() -> errorsOfGroups(groups)));
    }
    for (CompletableFuture<String> told : errors) {
      assertEquals("", told.get(SECONDS_MAX, TimeUnit.SECONDS));
    }
    for (LocalNode node : cluster.nodes()) {
      assertEquals(clients * groups, ProxiedCluster.number(node, "SELECT sum(x) FROM locked"));
    }
  }

  /** A row on each node, which one PostgreSQL would lock in one order. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE locked SET x = x + 1 WHERE id IN (%d, %d, %d) RETURNING id",
        "INSERT INTO locked VALUES (%d, 1), (%d, 1), (%d, 1) ON CONFLICT (id) DO UPDATE SET x ="
            + " locked.x + 1",
        "SELECT id FROM locked WHERE id IN (%d, %d, %d) FOR UPDATE"
      })
  void statementsThatNameTheSameRowsMeetInNoDeadlock(String statement) throws Exception {
    String sql = statement.formatted(keys.toArray());
    int clients = 6;
    int times = 20;
    List<CompletableFuture<SQLException>> running = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      running.add(CompletableFuture.supplyAsync(() -> errorOf(sql, times)));
    }
    for (CompletableFuture<SQLException> error : running) {
      assertEquals(null, error.get(SECONDS_MAX, TimeUnit.SECONDS));
    }
    long added = 0;
    for (LocalNode node : cluster.nodes()) {
      added += ProxiedCluster.number(node, "SELECT sum(x) FROM locked");
    }
    assertEquals(sql.startsWith("SELECT") ? 0 : 3L * clients * times, added);
  }

  private SQLException errorOf(String sql, int times) {
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < times; i++) {
        statement.execute(sql);
      }
      return null;
    } catch (SQLException e) {
      return e;
    }
  }

  private String errorsOfGroups(int groups) {
    StringBuilder errors = new StringBuilder();
    try (WireClient client = ParityFixture.wire(router.port())) {
      for (int i = 0; i < groups; i++) {
        client.run("BEGIN", update(0, ""), update(1, ""), update(2, ""), "COMMIT").sync();
        client.untilReady().stream().filter(answer -> answer.type() == 'E').forEach(errors::append);
      }
    } catch (IOException e) {
      errors.append(e);
    }
    return errors.toString();
  }

  @Test
  void aSessionThatMerelyWaitsIsNotCancelled() throws Exception {
    try (Connection one = router.connect();
        Connection two = router.connect();
        Connection waiting = router.connect()) {
      one.setAutoCommit(false);
      two.setAutoCommit(false);
      run(one, update(0, "one"));
      run(two, update(1, "two"));
      CompletableFuture<SQLException> bystander = async(waiting, update(0, "bystander"));
      CompletableFuture<SQLException> first = async(one, update(1, "first"));
      CompletableFuture<SQLException> second = async(two, update(0, "second"));
      CompletableFuture.anyOf(first, second).get(SECONDS_MAX, TimeUnit.SECONDS);
      boolean firstIsVictim = first.isDone() ? first.get() != null : second.get() == null;
      (firstIsVictim ? one : two).rollback();
      assertEquals(null, (firstIsVictim ? second : first).get(SECONDS_MAX, TimeUnit.SECONDS));
      (firstIsVictim ? two : one).commit();
      assertEquals(null, bystander.get(SECONDS_MAX, TimeUnit.SECONDS));
    }
  }

  @Test
  void aStatementTimeoutWhileWaitingIs57014() throws Exception {
    try (Connection one = router.connect();
        Connection two = router.connect()) {
      one.setAutoCommit(false);
      run(one, update(0, "holder"));
      run(two, "SET statement_timeout = '300ms'");
      SQLException error = async(two, update(0, "waits")).get(SECONDS_MAX, TimeUnit.SECONDS);
      assertEquals("57014", error.getSQLState(), error.toString());
      one.rollback();
    }
  }

  @Test
  void aCycleOnOneNodeKeepsPostgresOwnReport() throws Exception {
    try (Connection one = router.connect();
        Connection two = router.connect()) {
      one.setAutoCommit(false);
      two.setAutoCommit(false);
      int other = (int) ProxiedCluster.number(cluster.node(0), "SELECT max(id) FROM locked");
      String there = "UPDATE locked SET x = x + 1 WHERE id = " + other;
      run(one, update(0, "one"));
      run(two, there);
      CompletableFuture<SQLException> first = async(one, there);
      CompletableFuture<SQLException> second = async(two, update(0, "two"));
      CompletableFuture.allOf(first, second).get(SECONDS_MAX, TimeUnit.SECONDS);
      boolean firstIsVictim = first.isDone() ? first.get() != null : second.get() == null;
      SQLException error = firstIsVictim ? first.get() : second.get();
      assertEquals("40P01", error.getSQLState(), error.toString());
      (firstIsVictim ? one : two).rollback();
      assertEquals(null, (firstIsVictim ? second : first).get(SECONDS_MAX, TimeUnit.SECONDS));
    }
  }
}
