package org.abelian.cluster.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that is added to a cluster in use has what every node has, or nothing has happened. */
// Of its own: whoever is added needs every table that there is.
@WithCluster(exclusive = true)
class AddedNodeIT {
  /** A table whose rows refer to those of one that was made later. */
  private static final List<String> SCHEMA =
      List.of(
          "CREATE TABLE town (id int PRIMARY KEY, land text, visits abelian.counter)",
          "CREATE TABLE land (code text PRIMARY KEY, name text)",
          "ALTER TABLE town ADD FOREIGN KEY (land) REFERENCES land",
          "CREATE SEQUENCE shared",
          "CREATE TABLE house (id int PRIMARY KEY, number bigint DEFAULT nextval('shared'))");

  private static final String TOWNS = "SELECT count(*), sum(id), sum(visits) FROM town";

  private final LocalCluster cluster;
  private final RouterServer router;
  private Connection connection;
  private Statement statement;
  private LocalNode added;

  AddedNodeIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void fill() throws SQLException {
    connection = router.connect();
    statement = connection.createStatement();
    for (String sql : SCHEMA) {
      run(sql);
    }
    run("SELECT create_reference_table('land')");
    run("SELECT create_reference_table('town')");
    run("SELECT create_distributed_table('house', 'id')");
    run("INSERT INTO land VALUES ('de', 'Germany'), ('fr', E'Fr\\\\an\"ce')");
    run(
        "INSERT INTO town SELECT i, CASE i % 2 WHEN 0 THEN 'de' ELSE 'fr' END, i"
            + " FROM generate_series(1, 40000) i");
    run("INSERT INTO house SELECT i FROM generate_series(1, 100) i");
    added = LocalNode.create();
    onAdded(SCHEMA);
  }

  @AfterEach
  void remove() throws SQLException {
    run("DROP TABLE IF EXISTS later, house, town, land");
    run("DROP SEQUENCE IF EXISTS shared");
    for (String node : rows("SELECT node_id FROM abelian.node WHERE port = " + added.port())) {
      run("SELECT abelian.remove_node(" + node + ")");
    }
    connection.close();
    added.close();
  }

  @Test
  void itHasTheRowsOfReferenceTables() throws SQLException {
    add();
    assertEquals(rows(TOWNS), rowsOfAdded(TOWNS));
    assertEquals(
        rows("SELECT * FROM land ORDER BY code"), rowsOfAdded("SELECT * FROM land ORDER BY code"));
    run("INSERT INTO land VALUES ('it', 'Italy')");
    run("UPDATE town SET visits = visits + 1, land = 'it' WHERE id < 100");
    assertEquals(rows(TOWNS), rowsOfAdded(TOWNS));
    assertEquals(List.of("99"), rowsOfAdded("SELECT count(*) FROM town WHERE land = 'it'"));
  }

  @Test
  void newTablesUseItAndSequencesGiveEachValueOnce() throws SQLException {
    add();
    run("CREATE TABLE later (id int PRIMARY KEY, number bigint DEFAULT nextval('shared'))");
    run("SELECT create_distributed_table('later', 'id', colocate_with => 'none')");
    run("INSERT INTO later SELECT i FROM generate_series(1, 1000) i");
    assertTrue(Integer.parseInt(rowsOfAdded("SELECT count(*) FROM later").get(0)) > 100);
    assertEquals(
        List.of("1100|1100"),
        rows(
            "SELECT count(*), count(DISTINCT number) FROM (SELECT number FROM later UNION ALL"
                + " SELECT number FROM house) n"));
    assertEquals(
        List.of("1000"), rows("SELECT count(*) FROM later JOIN town ON town.id = later.id"));
  }

  @Test
  void whatFailsHalfWayLeavesAllAsItWas() throws SQLException {
    List<String> nodes = rows("SELECT node_id, port FROM abelian.node ORDER BY 1");
    onAdded(List.of("ALTER TABLE town ADD CONSTRAINT narrow CHECK (id < 39000)"));
    assertEquals("23514", refusal().getSQLState());
    assertEquals(nodes, rows("SELECT node_id, port FROM abelian.node ORDER BY 1"));
    assertEquals(List.of("0"), rowsOfAdded("SELECT count(*) FROM abelian.node"));
    assertEquals(List.of("0|null|null"), rowsOfAdded(TOWNS));
    run("UPDATE town SET visits = visits + 1 WHERE id = 1");
    onAdded(List.of("ALTER TABLE town DROP CONSTRAINT narrow"));
    add();
    assertEquals(rows(TOWNS), rowsOfAdded(TOWNS));
  }

  @Test
  void aTransactionThatIsRolledBackHasAddedNothing() throws SQLException {
    connection.setAutoCommit(false);
    run("SET LOCAL application_name = 'adding'");
    add();
    assertEquals(List.of("4"), rows("SELECT count(*) FROM abelian.node"));
    connection.rollback();
    connection.setAutoCommit(true);
    assertEquals(List.of("3"), rows("SELECT count(*) FROM abelian.node"));
    assertEquals(List.of("0"), rowsOfAdded("SELECT count(*) FROM abelian.node"));
    assertEquals(List.of("0|null|null"), rowsOfAdded(TOWNS));
  }

  @Test
  void whatHasNotTheTablesOrHasRowsIsRefused() throws SQLException {
    onAdded(List.of("INSERT INTO land VALUES ('xx', 'Nowhere')"));
    assertEquals("55000", refusal().getSQLState());
    onAdded(List.of("TRUNCATE land CASCADE", "DROP TABLE house"));
    assertTrue(refusal().getMessage().contains("lacks a table"), refusal().getMessage());
    assertEquals(List.of("3"), rows("SELECT count(*) FROM abelian.node"));
  }

  @Test
  void whoOwnsNoTableGetsNobodysRows() throws SQLException {
    createRole("adder");
    try (Connection other = DriverManager.getConnection(router.jdbcUrl(), "adder", "adder");
        Statement there = other.createStatement()) {
      SQLException refusal = assertThrows(SQLException.class, () -> there.execute(adding()));
      assertEquals("42501", refusal.getSQLState(), refusal.getMessage());
    }
    onAll("DROP ROLE adder");
    assertEquals(List.of("3"), rows("SELECT count(*) FROM abelian.node"));
    assertEquals(List.of("0"), rowsOfAdded("SELECT count(*) FROM abelian.node"));
  }

  /** With the same verifier everywhere, as the router needs it. */
  private void createRole(String role) throws SQLException {
    onAll("CREATE ROLE " + role + " LOGIN IN ROLE abelian_router");
    try (Connection direct = cluster.node(0).connectAsSuperuser();
        Statement there = direct.createStatement()) {
      there.execute("ALTER ROLE " + role + " PASSWORD '" + role + "'");
      String query = "SELECT rolpassword FROM pg_authid WHERE rolname = '" + role + "'";
      onAll("ALTER ROLE " + role + " PASSWORD '" + rows(there, query).get(0) + "'");
    }
  }

  private void onAll(String sql) throws SQLException {
    for (LocalNode node : withAdded()) {
      try (Connection direct = node.connectAsSuperuser();
          Statement there = direct.createStatement()) {
        there.execute(sql);
      }
    }
  }

  private List<LocalNode> withAdded() {
    List<LocalNode> all = new ArrayList<>(cluster.nodes());
    all.add(added);
    return all;
  }

  private String adding() {
    return "SELECT abelian.add_node('127.0.0.1', " + added.port() + ")";
  }

  private void add() throws SQLException {
    run(adding());
  }

  private SQLException refusal() {
    return assertThrows(SQLException.class, this::add);
  }

  private void onAdded(List<String> statements) throws SQLException {
    try (Connection direct = added.connect();
        Statement there = direct.createStatement()) {
      for (String sql : statements) {
        there.execute(sql);
      }
    }
  }

  private List<String> rowsOfAdded(String query) throws SQLException {
    try (Connection direct = added.connect();
        Statement there = direct.createStatement()) {
      return rows(there, query);
    }
  }

  private void run(String sql) throws SQLException {
    statement.execute(sql);
  }

  private List<String> rows(String query) throws SQLException {
    return rows(statement, query);
  }

  private static List<String> rows(Statement statement, String query) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (ResultSet result = statement.executeQuery(query)) {
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          row.add(result.getString(i));
        }
        rows.add(String.join("|", row));
      }
    }
    return rows;
  }
}
