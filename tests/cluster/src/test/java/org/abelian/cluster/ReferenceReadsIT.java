package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A transaction that begins with reads of reference tables is on the node of the rows that come
 * next, and is nonetheless one transaction.
 */
@WithCluster
class ReferenceReadsIT {
  private static final int KEYS = 12;

  private final LocalCluster cluster;
  private final RouterServer server;
  private Connection connection;

  ReferenceReadsIT(LocalCluster cluster, RouterServer server) {
    this.cluster = cluster;
    this.server = server;
  }

  @BeforeEach
  void create() throws SQLException {
    connection = cluster.connect();
    execute("CREATE TABLE rate (code text PRIMARY KEY, rate int)");
    execute("CREATE TABLE shop (id int PRIMARY KEY, sales int NOT NULL DEFAULT 0)");
    execute("SELECT create_reference_table('rate')");
    execute("SELECT create_distributed_table('shop', 'id')");
    execute("INSERT INTO rate VALUES ('EUR', 1), ('USD', 2), ('NIL', 0)");
    for (int key = 1; key <= KEYS; key++) {
      execute("INSERT INTO shop VALUES (" + key + ")");
    }
    execute("SET abelian.commit_notice = on");
  }

  @AfterEach
  void drop() throws SQLException {
    connection.close();
    try (Connection fresh = cluster.connect();
        Statement statement = fresh.createStatement()) {
      statement.execute("DROP TABLE rate, shop");
    }
  }

  private void execute(String sql) throws SQLException {
    execute(connection, sql);
  }

  private static void execute(Connection on, String sql) throws SQLException {
    try (Statement statement = on.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String value(Connection on, String sql) throws SQLException {
    try (Statement statement = on.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  private String value(String sql) throws SQLException {
    return value(connection, sql);
  }

  /** By both protocols, through the driver and a server. */
  @ParameterizedTest
  @ValueSource(strings = {"", "simple"})
  void staysOnOneNode(String mode) throws SQLException {
    String url = server.jdbcUrl() + (mode.isEmpty() ? "" : "?preferQueryMode=" + mode);
    try (Connection routed = java.sql.DriverManager.getConnection(url, "app", "app")) {
      execute(routed, "SET abelian.commit_notice = on");
      staysOnOneNode(routed);
    }
    staysOnOneNode(connection);
  }

  private static void staysOnOneNode(Connection on) throws SQLException {
    on.setAutoCommit(false);
    for (int key = 1; key <= KEYS; key++) {
      assertEquals("1", value(on, "SELECT rate FROM rate WHERE code = 'EUR'"));
      assertEquals("3", value(on, "SELECT count(*) FROM rate"));
      execute(on, "UPDATE shop SET sales = sales + 1 WHERE id = " + key);
      assertEquals("2", value(on, "SELECT rate FROM rate WHERE code = 'USD'"));
      on.commit();
      assertNull(on.getWarnings(), () -> "it was on several nodes");
    }
    on.setAutoCommit(true);
  }

  @Test
  void failsAsAWhole() throws SQLException {
    connection.setAutoCommit(false);
    assertEquals("1", value("SELECT rate FROM rate WHERE code = 'EUR'"));
    assertEquals(
        "22012",
        assertThrows(SQLException.class, () -> value("SELECT 1 / rate FROM rate ORDER BY rate"))
            .getSQLState());
    assertEquals(
        "25P02",
        assertThrows(SQLException.class, () -> execute("UPDATE shop SET sales = 5 WHERE id = 1"))
            .getSQLState());
    connection.rollback();
    assertEquals("0", value("SELECT sum(sales) FROM shop"));
    connection.rollback();
  }

  @Test
  void seesWhatItWritesAndWhatOthersCommit() throws SQLException {
    connection.setAutoCommit(false);
    assertEquals("1", value("SELECT rate FROM rate WHERE code = 'EUR'"));
    try (Connection other = cluster.connect()) {
      execute(other, "UPDATE rate SET rate = 3 WHERE code = 'EUR'");
    }
    assertEquals("3", value("SELECT rate FROM rate WHERE code = 'EUR'"));
    execute("UPDATE rate SET rate = 4 WHERE code = 'EUR'");
    assertEquals("4", value("SELECT rate FROM rate WHERE code = 'EUR'"));
    connection.rollback();
    assertEquals("3", value("SELECT rate FROM rate WHERE code = 'EUR'"));
    connection.rollback();
  }

  @Test
  void hasOneTimeAndItsOwnSettings() throws SQLException {
    connection.setAutoCommit(false);
    for (int key = 1; key <= KEYS; key++) {
      String first = value("SELECT now() FROM rate LIMIT 1");
      assertEquals(first, value("SELECT now() FROM rate ORDER BY rate LIMIT 1"));
      assertEquals(first, value("SELECT now() FROM rate LIMIT 1"));
      connection.rollback();
      execute("SET LOCAL bytea_output = 'escape'");
      assertEquals("A", value("SELECT '\\x41'::bytea::text FROM rate WHERE code = 'EUR'"));
      connection.rollback();
    }
  }

  /** The rows of a portal that is read in portions are those of one moment. */
  @Test
  void readsInPortions() throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.setFetchSize(1);
      int count = 0;
      try (ResultSet rows = statement.executeQuery("SELECT code FROM rate")) {
        while (rows.next()) {
          count++;
          try (Connection other = cluster.connect()) {
            execute(other, "DELETE FROM rate WHERE code = 'NIL'");
          }
        }
      }
      assertEquals(3, count);
    }
    connection.rollback();
  }

  /** With one snapshot for the whole transaction, the first read takes it. */
  @Test
  void takesPartWhereReadsBelongTogether() throws SQLException {
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    assertEquals("1", value("SELECT rate FROM rate WHERE code = 'EUR'"));
    try (Connection other = cluster.connect()) {
      execute(other, "UPDATE rate SET rate = 3 WHERE code = 'EUR'");
    }
    assertEquals("1", value("SELECT rate FROM rate WHERE code = 'EUR'"));
    connection.rollback();
  }
}
