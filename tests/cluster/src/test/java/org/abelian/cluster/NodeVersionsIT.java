package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.NodeVersions;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A cluster may have nodes of several versions of PostgreSQL while they are upgraded one by one.
 * {@code ./abelian test --postgres 15,18} gives it such nodes.
 */
@WithCluster
class NodeVersionsIT {
  private final LocalCluster cluster;
  private Connection connection;
  private Statement statement;

  NodeVersionsIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void makeTable() throws SQLException {
    connection = cluster.connect();
    statement = connection.createStatement();
    statement.execute("DROP TABLE IF EXISTS mixed");
    statement.execute(
        "CREATE TABLE mixed (id int PRIMARY KEY, name text, likes abelian.counter DEFAULT 0)");
    statement.execute("SELECT create_distributed_table('mixed', 'id')");
    statement.execute("INSERT INTO mixed SELECT i, 'n' || i % 3 FROM generate_series(1, 90) i");
    statement.execute("SET abelian.split = always");
    assertEquals(90, statement.executeUpdate("UPDATE mixed SET likes = likes + id"));
  }

  @AfterEach
  void close() throws SQLException {
    statement.execute("DROP TABLE mixed");
    connection.close();
  }

  @Test
  void nodesHaveTheVersionsThatAreAskedFor() throws SQLException {
    Set<String> wanted = new HashSet<>(NodeVersions.all());
    if (wanted.remove("")) {
      wanted.add(System.getenv().getOrDefault("ABELIAN_PG_MAJOR", "15"));
    }
    assertEquals(
        wanted, versions().stream().map(v -> Integer.toString(v)).collect(Collectors.toSet()));
  }

  @Test
  void rowsOfAllNodesComeToOneAndAreFinishedThere() throws SQLException {
    assertEquals(
        "n0 1395, n1 1335, n2 1365",
        value(
            "SELECT string_agg(g.name || ' ' || g.n, ', ' ORDER BY g.name) FROM"
                + " (SELECT name, sum(likes) n FROM mixed GROUP BY name) g"));
    assertEquals("90", value("SELECT count(*) FROM mixed a JOIN mixed b ON b.id = 91 - a.id"));
    assertEquals(
        "1",
        value("SELECT min(id) FROM mixed a WHERE likes::bigint < (SELECT avg(likes) FROM mixed)"));
  }

  @Test
  void rowsMoveBetweenNodesOfDifferentVersions() throws SQLException {
    assertEquals(90, statement.executeUpdate("UPDATE mixed SET id = id + 100"));
    assertEquals("4095", value("SELECT sum(likes) FROM mixed WHERE id > 100"));
    assertEquals(
        90,
        statement.executeUpdate(
            "UPDATE mixed a SET name = b.name || '*' FROM mixed b WHERE b.id = 291 - a.id"));
    assertEquals("90", value("SELECT count(*) FROM mixed WHERE name LIKE '%*'"));
  }

  @Test
  void transactionsOverNodesOfDifferentVersionsCommitWhollyOrNotAtAll() throws SQLException {
    connection.setAutoCommit(false);
    statement.executeUpdate("UPDATE mixed SET likes = likes + 1"); // commuting
    connection.commit();
    statement.executeUpdate("UPDATE mixed SET name = 'x', likes = likes + 1"); // coordinated
    connection.commit();
    statement.executeUpdate("UPDATE mixed SET name = 'y', likes = likes + 1");
    connection.rollback();
    connection.setAutoCommit(true);
    assertEquals("4275", value("SELECT sum(likes) FROM mixed"));
    assertEquals("90", value("SELECT count(*) FROM mixed WHERE name = 'x'"));
  }

  /** What clients ask the catalogues depends on the version that they are told. */
  @Test
  void theServerVersionIsThatOfTheNodeThatAnswersAboutCatalogues() throws SQLException {
    List<String> addresses =
        cluster.nodes().stream().map(LocalNode::address).collect(Collectors.toList());
    Collections.reverse(addresses); // The last node is asked first.
    String url = "jdbc:abelian://" + String.join(",", addresses) + "/" + LocalNode.DATABASE;
    try (Connection other = DriverManager.getConnection(url, LocalNode.USER, LocalNode.USER)) {
      assertEquals((int) versionOf(cluster.node(0)), other.getMetaData().getDatabaseMajorVersion());
      try (ResultSet columns = other.getMetaData().getColumns(null, "public", "mixed", "%")) {
        Set<String> names = new TreeSet<>();
        while (columns.next()) {
          names.add(columns.getString("COLUMN_NAME"));
        }
        assertEquals(Set.of("id", "likes", "name"), names);
      }
    }
  }

  @Test
  void syntaxThatOnlySomeNodesKnowChangesNothing() throws SQLException {
    assumeTrue(versions().size() > 1, "needs nodes of different versions");
    SQLException refused =
        assertThrows(
            SQLException.class,
            () -> statement.execute("UPDATE mixed SET name = 'new' RETURNING old.name"));
    // An older node takes `old` for a table.
    assertEquals("42P01", refused.getSQLState(), refused::getMessage);
    assertEquals("0", value("SELECT count(*) FROM mixed WHERE name = 'new'"));
  }

  @Test
  void settingThatOnlySomeNodesKnowIsAnErrorWhereItIsNotKnown() throws SQLException {
    assumeTrue(versions().size() > 1, "needs nodes of different versions");
    connection.setAutoCommit(false);
    SQLException refused =
        assertThrows(
            SQLException.class,
            () -> {
              statement.execute("SET transaction_timeout = '1min'");
              value("SELECT count(*) FROM mixed");
            });
    assertEquals("42704", refused.getSQLState(), refused::getMessage);
    connection.rollback();
    connection.setAutoCommit(true);
    assertEquals("90", value("SELECT count(*) FROM mixed"));
    assertTrue(connection.isValid(1));
  }

  private Set<Integer> versions() throws SQLException {
    Set<Integer> versions = new TreeSet<>();
    for (LocalNode node : cluster.nodes()) {
      versions.add(versionOf(node));
    }
    return versions;
  }

  private static Integer versionOf(LocalNode node) throws SQLException {
    try (Connection direct = node.connect()) {
      return direct.getMetaData().getDatabaseMajorVersion();
    }
  }

  private String value(String query) throws SQLException {
    try (ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
