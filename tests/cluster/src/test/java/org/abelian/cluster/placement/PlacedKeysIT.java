package org.abelian.cluster.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keys that get another place, and what else goes by keys: procedures, random keys, EXPLAIN. */
@WithCluster
class PlacedKeysIT {
  private static final String DROP = "DROP TABLE IF EXISTS ticket, stall, bill CASCADE";

  private final LocalCluster cluster;
  private final RouterServer router;
  private Connection routed;

  PlacedKeysIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void connect() throws SQLException {
    routed = router.connect();
    execute(DROP);
  }

  @AfterEach
  void drop() throws SQLException {
    routed.setAutoCommit(true);
    execute(DROP);
    routed.close();
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = routed.createStatement()) {
      statement.execute(sql);
    }
  }

  private String state(String sql) {
    return assertThrows(SQLException.class, () -> execute(sql), sql).getSQLState();
  }

  private static List<String> column(Connection connection, String sql) throws SQLException {
    List<String> found = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
    return found;
  }

  /** The nodes, from 0, on which the query finds a row. */
  private TreeSet<Integer> nodesWith(String query) throws SQLException {
    TreeSet<Integer> found = new TreeSet<>();
    for (int at = 0; at < cluster.nodes().size(); at++) {
      try (Connection direct = cluster.node(at).connectAsSuperuser()) {
        if (!column(direct, query).isEmpty()) {
          found.add(at);
        }
      }
    }
    return found;
  }

  private int nodeOfPartition(String table, int partition) throws SQLException {
    try (Connection direct = cluster.node(0).connectAsSuperuser()) {
      String port =
          column(
                  direct,
                  "SELECT p.port FROM abelian.partitions p JOIN abelian.distributed_tables t USING"
                      + " (colocation_id) WHERE t.relation = '"
                      + table
                      + "'::regclass AND p.partition = "
                      + partition)
              .get(0);
      for (int at = 0; at < cluster.nodes().size(); at++) {
        if (cluster.node(at).port() == Integer.parseInt(port)) {
          return at;
        }
      }
      throw new AssertionError("no node has the port " + port);
    }
  }

  // ---- lookups

  private void createTickets() throws SQLException {
    execute("CREATE TABLE ticket (city text, id int, PRIMARY KEY (city, id))");
    execute("SELECT create_distributed_table('ticket', 'city', 'lookup')");
  }

  /** Each place in turn, told by one router and used by another that has routed there before. */
  @Test
  void aRouterThatKnewAnOlderPlaceOfAKeyUsesTheNewOne() throws SQLException {
    createTickets();
    try (Connection other = cluster.connect();
        PreparedStatement insert = other.prepareStatement("INSERT INTO ticket VALUES (?, ?)");
        PreparedStatement select = other.prepareStatement("SELECT id FROM ticket WHERE city = ?")) {
      TreeSet<Integer> seen = new TreeSet<>();
      for (int partition = 0; partition < 32; partition += 5) {
        execute("SELECT abelian.place_key('ticket', 'Ulm', " + partition + ")");
        insert.setString(1, "Ulm");
        insert.setInt(2, partition);
        assertEquals(1, insert.executeUpdate());
        select.setString(1, "Ulm");
        try (ResultSet rows = select.executeQuery()) {
          assertTrue(rows.next());
          assertEquals(partition, rows.getInt(1));
        }
        int node = nodeOfPartition("ticket", partition);
        assertEquals(
            new TreeSet<>(List.of(node)), nodesWith("SELECT 1 FROM ticket WHERE city = 'Ulm'"));
        seen.add(node);
        execute("DELETE FROM ticket");
      }
      assertEquals(cluster.nodes().size(), seen.size(), "the key was on every node");
    }
  }

  @Test
  void aKeyWithRowsStays() throws SQLException {
    createTickets();
    execute("SELECT abelian.place_key('ticket', 'Ulm', 0)");
    execute("INSERT INTO ticket VALUES ('Ulm', 1), ('Bonn', 2)");
    assertEquals("0A000", state("SELECT abelian.place_key('ticket', 'Ulm', 31)"));
    assertEquals(List.of("1"), column(routed, "SELECT id FROM ticket WHERE city = 'Ulm'"));
    execute("DELETE FROM ticket WHERE city = 'Ulm'");
    execute("SELECT abelian.place_key('ticket', 'Ulm', 31)");
    execute("INSERT INTO ticket VALUES ('Ulm', 3)");
    int node = nodeOfPartition("ticket", 31);
    assertEquals(
        new TreeSet<>(List.of(node)), nodesWith("SELECT 1 FROM ticket WHERE city = 'Ulm'"));
    assertEquals(List.of("3"), column(routed, "SELECT id FROM ticket WHERE city = 'Ulm'"));
  }

  @Test
  void aPlaceThatIsRolledBackIsNone() throws SQLException {
    createTickets();
    execute("SELECT abelian.place_key('ticket', 'Ulm', 0)");
    routed.setAutoCommit(false);
    execute("SELECT abelian.place_key('ticket', 'Ulm', 31)");
    routed.rollback();
    routed.setAutoCommit(true);
    execute("INSERT INTO ticket VALUES ('Ulm', 1)");
    int node = nodeOfPartition("ticket", 0);
    assertEquals(
        new TreeSet<>(List.of(node)), nodesWith("SELECT 1 FROM ticket WHERE city = 'Ulm'"));
    execute("DELETE FROM ticket");
    execute("SELECT abelian.unplace_key('ticket', 'Ulm')");
    execute("INSERT INTO ticket VALUES ('Ulm', 2)");
    assertEquals(List.of("2"), column(routed, "SELECT id FROM ticket WHERE city = 'Ulm'"));
  }

  // ---- procedures

  @Test
  void aProcedureRunsWhereItsKeyIsPlaced() throws SQLException {
    execute("CREATE TABLE stall (country text PRIMARY KEY, n int)");
    execute(
        "SELECT create_distributed_table('stall', 'country', 'list', rule => $$WHEN country IN"
            + " ('de', 'at') THEN 0 WHEN country = 'fr' THEN 1 ELSE 2$$)");
    execute("INSERT INTO stall VALUES ('de', 0), ('at', 0), ('fr', 0), ('it', 0)");
    execute(
        "CREATE OR REPLACE FUNCTION sell(one text, other text) RETURNS bigint LANGUAGE plpgsql AS"
            + " $$ DECLARE changed bigint; BEGIN UPDATE stall SET n = n + 1 WHERE country IN (one,"
            + " other); GET DIAGNOSTICS changed = ROW_COUNT; RETURN changed; END $$");
    execute(
        "SELECT create_distributed_procedure('sell(text, text)', 'one, other', 'stall', merge =>"
            + " 'sum')");
    assertEquals(List.of("2"), column(routed, "SELECT sell('de', 'fr')"));
    assertEquals(List.of("2"), column(routed, "SELECT sell('it', 'fr')"));
    assertEquals(List.of("1"), column(routed, "SELECT sell('at', 'xx')"));
    assertEquals(
        List.of("at 1", "de 1", "fr 2", "it 1"),
        column(routed, "SELECT country || ' ' || n FROM stall ORDER BY country"));
  }

  // ---- keys that the router makes

  @Test
  void randomKeysMayBePartOfTheKey() throws SQLException {
    execute(
        "CREATE TABLE bill (shop int, id uuid DEFAULT gen_random_uuid(), n int, PRIMARY KEY (shop,"
            + " id))");
    execute("SELECT create_distributed_table('bill', 'shop, id')");
    for (int n = 0; n < 30; n++) {
      execute("INSERT INTO bill (shop, n) VALUES (1, " + n + ")");
    }
    execute("INSERT INTO bill (n, shop) VALUES (30, 1), (31, 2), (32, 3), (33, 1), (34, 1)");
    assertEquals(List.of("35"), column(routed, "SELECT count(*) FROM bill"));
    for (LocalNode each : cluster.nodes()) {
      try (Connection direct = each.connectAsSuperuser()) {
        assertEquals(
            List.of("0"),
            column(
                direct,
                "SELECT count(*) FROM bill WHERE abelian.node_of('bill', VARIADIC ARRAY[shop::text,"
                    + " id::text]) IS DISTINCT FROM (SELECT node_id FROM abelian.node WHERE port ="
                    + " "
                    + each.port()
                    + ")"));
      }
    }
    assertEquals(cluster.nodes().size(), nodesWith("SELECT 1 FROM bill").size());
    String id = column(routed, "SELECT id FROM bill WHERE n = 7").get(0);
    assertEquals(
        List.of("7"), column(routed, "SELECT n FROM bill WHERE shop = 1 AND id = '" + id + "'"));
  }

  // ---- EXPLAIN

  @Test
  void explainNamesTheColumnsThatPlaceRows() throws SQLException {
    execute("CREATE TABLE bill (shop int, id int, n int, PRIMARY KEY (shop, id))");
    execute("SELECT create_distributed_table('bill', 'shop, id')");
    String all = String.join("\n", column(routed, "EXPLAIN SELECT * FROM bill WHERE shop = 1"));
    assertTrue(all.contains("bill.(shop, id) is known in part"), all);
  }
}
