package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * At REPEATABLE READ and SERIALIZABLE nothing reads several nodes: no node would see that two
 * transactions each write what the other has read elsewhere.
 */
@WithCluster
class IsolationIT {
  private static final String SUM = "SELECT sum(v) FROM doctor";

  private final LocalCluster cluster;

  IsolationIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void create() throws SQLException {
    run("DROP TABLE IF EXISTS doctor");
    run("CREATE TABLE doctor (k int PRIMARY KEY, v int)");
    run("SELECT create_distributed_table('doctor', 'k')");
    run("INSERT INTO doctor SELECT 1, 1");
  }

  @AfterEach
  void drop() throws SQLException {
    run("DROP TABLE doctor");
  }

  private void run(String sql) throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static void assertRefused(Statement statement, String sql) {
    SQLException error = assertThrows(SQLException.class, () -> statement.execute(sql), sql);
    assertEquals("0A000", error.getSQLState(), error.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "BEGIN ISOLATION LEVEL SERIALIZABLE",
        "BEGIN ISOLATION LEVEL REPEATABLE READ",
        "SET default_transaction_isolation = 'serializable'",
      })
  void readsOfSeveralNodesAreRefused(String first) throws SQLException {
    for (String read : new String[] {SUM, "SELECT * FROM doctor", "TABLE doctor LIMIT 1"}) {
      try (Connection connection = cluster.connect();
          Statement statement = connection.createStatement()) {
        statement.execute(first);
        assertRefused(statement, read);
      }
    }
  }

  @Test
  void aLevelAskedForWhenConnectingCountsToo() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", LocalNode.USER);
    properties.setProperty("password", LocalNode.USER);
    properties.setProperty("options", "-c default_transaction_isolation=repeatable\\ read");
    try (Connection connection = DriverManager.getConnection(cluster.driverUrl(), properties);
        Statement statement = connection.createStatement()) {
      assertRefused(statement, SUM);
      statement.execute("SELECT v FROM doctor WHERE k = 1");
    }
  }
}
