package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.postgresql.PGResultSetMetaData;
import org.postgresql.util.PGobject;

/**
 * Users' types and tables have other numbers on each node. A client sees the first node's, where it
 * looks them up, and gives them back.
 */
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UsersTypesIT {
  private static final int PEOPLE = 9;

  private final LocalCluster cluster;
  private final RouterServer router;

  UsersTypesIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeAll
  void create() throws SQLException {
    drop();
    for (int node = 1; node < cluster.nodes().size(); node++) {
      try (Connection apart = cluster.node(node).connectAsSuperuser()) {
        run(apart, "SELECT lo_unlink(lo_create(0)) FROM generate_series(1, " + node * 11 + ")");
      }
    }
    try (Connection client = router.connect()) {
      run(client, "CREATE TYPE feeling AS ENUM ('sad', 'glad')");
      run(client, "CREATE TYPE place AS (street text, number int)");
      run(client, "CREATE TABLE person (id int PRIMARY KEY, feels feeling, lives place)");
      run(client, "SELECT create_distributed_table('person', 'id')");
      run(
          client,
          "INSERT INTO person SELECT i, 'sad', ROW('lane', i)::place FROM generate_series(1, "
              + PEOPLE
              + ") i");
    }
  }

  @AfterAll
  void drop() throws SQLException {
    try (Connection client = router.connect()) {
      run(client, "DROP TABLE IF EXISTS person, told");
      run(client, "DROP TYPE IF EXISTS feeling, place");
    }
  }

  @Test
  void columnsOfEveryNodeHaveTheTypesAndTablesThatTheCatalogueHas() throws SQLException {
    for (int id = 1; id <= PEOPLE; id++) {
      try (Connection client = router.connect();
          PreparedStatement read =
              client.prepareStatement("SELECT id, feels, lives FROM person WHERE id = ?")) {
        read.setInt(1, id);
        try (ResultSet row = read.executeQuery()) {
          assertDescribed(row.getMetaData());
        }
      }
    }
    try (Connection client = router.connect();
        Statement read = client.createStatement()) {
      assertDescribed(read.executeQuery("SELECT id, feels, lives FROM person").getMetaData());
      assertDescribed(
          read.executeQuery("SELECT id, feels, lives FROM person ORDER BY 1").getMetaData());
    }
  }

  private static void assertDescribed(ResultSetMetaData columns) throws SQLException {
    assertEquals("feeling", columns.getColumnTypeName(2));
    assertEquals("place", columns.getColumnTypeName(3));
    for (int column = 1; column <= 3; column++) {
      assertEquals("person", ((PGResultSetMetaData) columns).getBaseTableName(column));
    }
  }

  @Test
  void parametersOfUsersTypesAreUnderstoodByEveryNode() throws SQLException {
    try (Connection client = router.connect()) {
      client.setAutoCommit(false);
      try (PreparedStatement write =
              client.prepareStatement("UPDATE person SET feels = ? WHERE id = ? AND lives = ?");
          PreparedStatement count =
              client.prepareStatement("SELECT count(*) FROM person WHERE feels = ?")) {
        for (int id = 1; id <= PEOPLE; id++) {
          write.setObject(1, of("feeling", "glad"));
          write.setInt(2, id);
          write.setObject(3, of("place", "(lane," + id + ")"));
          assertEquals(1, write.executeUpdate(), "person " + id);
          count.setObject(1, of("feeling", "glad"));
          try (ResultSet row = count.executeQuery()) {
            assertTrue(row.next());
            assertEquals(id, row.getInt(1));
          }
        }
      }
      client.rollback();
    }
  }

  @Test
  void valuesOfThemAreComputedBeforeOnAnyNode() throws SQLException {
    try (Connection client = router.connect()) {
      run(client, "CREATE TABLE told (id int PRIMARY KEY, what jsonb)");
      run(client, "SELECT create_reference_table('told')");
    }
    String insert =
        "INSERT INTO told SELECT id, to_jsonb(?::feeling) FROM person RETURNING what ->> 0, (SELECT"
            + " count(*) FROM person)";
    for (int session = 0; session < PEOPLE; session++) { // Each asks another node first.
      try (Connection client = router.connect()) {
        client.setAutoCommit(false);
        try (PreparedStatement write = client.prepareStatement(insert)) {
          write.setString(1, "glad");
          try (ResultSet row = write.executeQuery()) {
            assertTrue(row.next());
            assertEquals(PEOPLE, row.getInt(2));
          }
        }
        client.rollback();
      }
    }
  }

  @Test
  void statementsPreparedInSqlTakeUsersTypes() throws SQLException {
    try (Connection client = router.connect();
        Statement statement = client.createStatement()) {
      statement.execute("PREPARE at (place) AS SELECT id FROM person WHERE lives = $1");
      statement.execute("PREPARE move AS UPDATE person SET lives = $1 WHERE id = $2");
      for (int id = 1; id <= PEOPLE; id++) {
        try (ResultSet row = statement.executeQuery("EXECUTE at ('(lane," + id + ")')")) {
          assertTrue(row.next());
          assertEquals(id, row.getInt(1));
        }
        assertEquals(
            1, statement.executeUpdate("EXECUTE move (ROW('lane', " + id + "), " + id + ")"));
      }
    }
  }

  private static PGobject of(String type, String value) throws SQLException {
    PGobject object = new PGobject();
    object.setType(type);
    object.setValue(value);
    return object;
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
