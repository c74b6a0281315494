package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.Test;

/** Routers learn of a placement that another router has changed before they use the old one. */
@WithCluster
class PlacementChangeIT {
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
      run(changing, "DROP TABLE IF EXISTS seen");
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
