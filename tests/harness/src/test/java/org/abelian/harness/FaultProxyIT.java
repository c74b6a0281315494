package org.abelian.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@WithNode
class FaultProxyIT {
  private final LocalNode node;
  private final FaultProxy proxy;

  FaultProxyIT(LocalNode node) {
    this.node = node;
    this.proxy = FaultProxy.to(node.port());
  }

  @BeforeEach
  void createTable() throws SQLException {
    execute("DROP TABLE IF EXISTS proxied");
    execute("CREATE TABLE proxied (x int)");
  }

  @AfterEach
  void closeProxy() {
    proxy.close();
  }

  @Test
  void aCutBeforeTheStatementKeepsItFromTheNode() throws SQLException {
    proxy.arm(Fault.cut(Fault.Moment.BEFORE, "insert into proxied"));
    assertThrows(SQLException.class, () -> throughProxy("INSERT INTO proxied VALUES (1)"));
    assertEquals(0, rows());
    throughProxy("INSERT INTO proxied VALUES (1)");
    assertEquals(1, rows());
  }

  @Test
  void aCutAfterTheAnswerLosesOnlyTheAnswer() throws Exception {
    Fault fault = proxy.arm(Fault.cut(Fault.Moment.ANSWERED, "insert into proxied"));
    assertThrows(SQLException.class, () -> throughProxy("INSERT INTO proxied VALUES (1)"));
    assertTrue(fault.hasStruck(10));
    assertEquals(1, rows());
  }

  @Test
  void aHeldStatementPassesAfterwards() throws SQLException {
    AtomicLong seen = new AtomicLong(-1);
    proxy.arm(
        Fault.hold(
            Fault.Moment.BEFORE, "insert into proxied", () -> seen.set(unchecked(this::rows))));
    throughProxy("INSERT INTO proxied VALUES (1)");
    assertEquals(0, seen.get());
    assertEquals(1, rows());
  }

  /**
   * Whoever starts a killed server again must not have it killed by what the last test has left.
   */
  @Test
  void aFaultThatWaitsForAnAnswerStrikesNoMoreOnceItIsCalledOff() throws Exception {
    AtomicLong strikes = new AtomicLong();
    proxy.arm(Fault.cut(Fault.Moment.ANSWERED, "insert into proxied", strikes::incrementAndGet));
    CompletableFuture<Void> insert;
    try (Connection owner = node.connect();
        Statement statement = owner.createStatement()) {
      owner.setAutoCommit(false);
      statement.execute("LOCK TABLE proxied");
      insert = CompletableFuture.runAsync(() -> unchecked(this::insert));
      while (count("SELECT count(*) FROM pg_locks WHERE NOT granted") == 0) {
        Thread.sleep(10);
      }
      proxy.disarm();
      owner.commit();
    }
    insert.get(60, TimeUnit.SECONDS);
    assertEquals(0, strikes.get());
    assertEquals(1, rows());
  }

  private long insert() throws SQLException {
    throughProxy("INSERT INTO proxied VALUES (1)");
    return 1;
  }

  private interface Query {
    long run() throws SQLException;
  }

  private static long unchecked(Query query) {
    try {
      return query.run();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void throughProxy(String sql) throws SQLException {
    String url = "jdbc:postgresql://127.0.0.1:" + proxy.port() + "/" + LocalNode.DATABASE;
    try (Connection connection = DriverManager.getConnection(url, LocalNode.USER, LocalNode.USER);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private long rows() throws SQLException {
    return count("SELECT count(*) FROM proxied");
  }

  private long count(String query) throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
