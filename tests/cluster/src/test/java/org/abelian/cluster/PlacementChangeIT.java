package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.Test;

/** Routers learn of a placement that another router has changed before they use the old one. */
@WithCluster
class PlacementChangeIT {
  private static final String WAITING =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
          + " AND query LIKE '%FROM held FOR UPDATE%'";

  private final LocalCluster cluster;
  private final RouterServer router;

  PlacementChangeIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @Test
  void aRouterWithAnOldPlacementRefreshesAndFindsTheRows() throws SQLException {
    try (Connection changing = router.connect();
        Connection old = cluster.connect()) {
      run(changing, "DROP TABLE IF EXISTS moved");
      run(changing, "CREATE TABLE moved (id int PRIMARY KEY, x int)");
      try (PreparedStatement insert = old.prepareStatement("INSERT INTO moved VALUES (?, 0)");
          PreparedStatement select = old.prepareStatement("SELECT x FROM moved WHERE id = ?")) {
        // Used before the placement, so that text and plan are in every cache of the old router.
        for (int i = 0; i < 10; i++) {
          assertEquals(0, count(select, i));
        }
        run(changing, "SELECT create_distributed_table('moved', 'id')");
        for (int id = 1; id <= 30; id++) {
          insert.setInt(1, id);
          assertEquals(1, insert.executeUpdate());
        }
        for (int id = 1; id <= 30; id++) {
          assertEquals(1, count(select, id), "row " + id);
        }
      }
      for (LocalNode node : cluster.nodes()) {
        long rows = ProxiedCluster.number(node, "SELECT count(*) FROM moved");
        assertTrue(rows > 0 && rows < 30, rows + " rows on " + node);
      }
    }
  }

  @Test
  void aReadOfAllNodesThroughARouterWithAnOldPlacementSucceeds() throws SQLException {
    try (Connection changing = router.connect();
        Connection old = cluster.connect();
        Statement read = old.createStatement()) {
      run(changing, "DROP TABLE IF EXISTS seen, other");
      run(changing, "CREATE TABLE seen (id int PRIMARY KEY)");
      run(changing, "SELECT create_distributed_table('seen', 'id')");
      run(changing, "INSERT INTO seen VALUES (1), (2), (3), (4), (5)");
      for (int change = 0; change < 5; change++) {
        try (ResultSet rows = read.executeQuery("SELECT count(*) FROM seen")) {
          assertTrue(rows.next());
          assertEquals(5, rows.getInt(1));
        }
        run(changing, "DROP TABLE IF EXISTS other");
        run(changing, "CREATE TABLE other (id int PRIMARY KEY)");
        run(changing, "SELECT create_distributed_table('other', 'id')");
      }
    }
  }

  @Test
  void whatWritesOnSeveralNodesRunsAgainWhenThePlacementChangesBeforeItsCommit() throws Exception {
    try (Connection changing = router.connect();
        Connection holding = router.connect();
        Connection writing = router.connect()) {
      run(changing, "DROP TABLE IF EXISTS tally, held, other");
      run(changing, "CREATE TABLE tally (id int PRIMARY KEY, n int)");
      run(changing, "CREATE TABLE held (id int PRIMARY KEY)");
      run(changing, "CREATE TABLE other (id int PRIMARY KEY)");
      run(changing, "SELECT create_distributed_table('tally', 'id')");
      run(changing, "INSERT INTO tally VALUES (1, 0), (2, 0), (3, 0), (4, 0), (5, 0)");
      run(changing, "INSERT INTO held VALUES (1)");
      holding.setAutoCommit(false);
      run(holding, "SELECT FROM held FOR UPDATE");
      CompletableFuture<Void> written =
          CompletableFuture.runAsync(
              () -> {
                try {
                  run(writing, "UPDATE tally SET n = n + 1; SELECT FROM held FOR UPDATE");
                } catch (SQLException e) {
                  throw new CompletionException(e);
                }
              });
      while (ProxiedCluster.number(cluster.node(0), WAITING) == 0 && !written.isDone()) {
        Thread.sleep(5);
      }
      run(changing, "SELECT create_distributed_table('other', 'id')");
      holding.commit();
      written.get(20, TimeUnit.SECONDS);
      try (Statement read = changing.createStatement();
          ResultSet rows = read.executeQuery("SELECT sum(n) FROM tally")) {
        assertTrue(rows.next());
        assertEquals(5, rows.getInt(1));
      }
    }
  }

  @Test
  void sessionsThatChangeTheSchemaAtOnceAllSucceed() throws Exception {
    List<CompletableFuture<Void>> sessions = new ArrayList<>();
    for (int session = 0; session < 8; session++) {
      String prefix = "migration_" + session + "_";
      Connection connection = session % 2 == 0 ? router.connect() : cluster.connect();
      sessions.add(
          CompletableFuture.runAsync(
              () -> {
                try (connection) {
                  for (int table = 0; table < 4; table++) {
                    migrate(connection, prefix + table);
                  }
                } catch (SQLException e) {
                  throw new CompletionException(e);
                }
              }));
    }
    for (CompletableFuture<Void> session : sessions) {
      session.get(120, TimeUnit.SECONDS);
    }
  }

  private static void migrate(Connection connection, String table) throws SQLException {
    run(connection, "DROP TABLE IF EXISTS " + table);
    run(connection, "CREATE TABLE " + table + " (id int PRIMARY KEY)");
    run(connection, "SELECT create_distributed_table('" + table + "', 'id')");
    run(connection, "ALTER TABLE " + table + " ADD n int DEFAULT 7");
    run(connection, "INSERT INTO " + table + " SELECT generate_series(1, 9)");
    run(connection, "ANALYZE " + table);
    run(connection, "VACUUM " + table);
    run(connection, "CREATE INDEX CONCURRENTLY " + table + "_n ON " + table + " (n)");
    run(connection, "REINDEX INDEX CONCURRENTLY " + table + "_n");
    run(connection, "DROP INDEX CONCURRENTLY " + table + "_n");
    try (Statement read = connection.createStatement();
        ResultSet rows = read.executeQuery("SELECT sum(n) FROM " + table)) {
      assertTrue(rows.next());
      assertEquals(63, rows.getInt(1));
    }
    run(connection, "DROP TABLE " + table);
  }

  private static long count(PreparedStatement select, int id) throws SQLException {
    select.setInt(1, id);
    try (ResultSet rows = select.executeQuery()) {
      return rows.next() ? 1 : 0;
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
