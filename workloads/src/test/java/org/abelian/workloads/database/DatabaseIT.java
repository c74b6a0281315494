package org.abelian.workloads.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.router.database.JdbcPool;
import org.junit.jupiter.api.Test;

/** What a pool of a database lends. */
@WithNode
class DatabaseIT {
  private final LocalNode node;
  private final Database database;

  DatabaseIT(LocalNode node) {
    this.node = node;
    database = new Database(node.jdbcUrl(), LocalNode.USER, LocalNode.USER);
  }

  @Test
  void eachClientHasAConnectionOfItsOwnAndKeepsIt() throws SQLException {
    try (JdbcPool pool = database.pool(2);
        Connection one = pool.connection();
        Connection other = pool.connection()) {
      assertNotEquals(process(one), process(other));
      assertEquals("abelian-workloads", text(one, "SHOW application_name"));
    }
  }

  @Test
  void whatIsGivenBackIsLentAgainInAutocommitModeWithoutItsTransaction() throws SQLException {
    try (JdbcPool pool = database.pool(1)) {
      String first;
      try (Connection connection = pool.connection()) {
        first = process(connection);
        connection.setAutoCommit(false);
        execute(connection, "CREATE TABLE never_committed ()");
      }
      try (Connection connection = pool.connection()) {
        assertEquals(first, process(connection));
        assertTrue(connection.getAutoCommit());
        assertEquals(null, text(connection, "SELECT to_regclass('never_committed')"));
      }
    }
  }

  @Test
  void aKilledConnectionIsReplaced() throws SQLException {
    try (JdbcPool pool = database.pool(1)) {
      String first;
      try (Connection killed = pool.connection()) {
        first = process(killed);
        try (Connection killer = node.connectAsSuperuser()) {
          execute(killer, "SELECT pg_terminate_backend(" + first + ", 10000)");
        }
        SQLException lost = assertThrows(SQLException.class, () -> process(killed));
        assertTrue(SqlStates.isConnectionLost(lost), lost.getSQLState());
      }
      try (Connection fresh = pool.connection()) {
        assertNotEquals(first, process(fresh));
      }
    }
  }

  @Test
  void aDiscardedConnectionIsReplacedAndNotLentAgain() throws SQLException {
    try (JdbcPool pool = database.pool(1)) {
      Connection first = pool.connection();
      String process = process(first);
      pool.discard(first);
      try (Connection fresh = pool.connection()) {
        assertNotEquals(process, process(fresh));
      }
    }
  }

  @Test
  void aRefusedStatementCostsNoConnection() throws SQLException {
    try (JdbcPool pool = database.pool(1);
        Connection connection = pool.connection()) {
      String refused = "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '0A000'; END $$";
      String process = process(connection);
      assertEquals(
          "0A000",
          assertThrows(SQLException.class, () -> execute(connection, refused)).getSQLState());
      assertFalse(connection.isClosed());
      assertEquals(process, process(connection));
    }
  }

  @Test
  void whoAsksForMoreThanThereAreIsTold() throws SQLException {
    try (JdbcPool pool = database.pool(1);
        Connection only = pool.connection()) {
      assertTrue(only.isValid(10));
      SQLException none = assertThrows(SQLException.class, pool::connection);
      assertEquals("53300", none.getSQLState());
    }
  }

  @Test
  void theErrorOfAServerOrDriverIsItsOwn() throws IOException {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    assertEquals("08001", refusal("jdbc:postgresql://127.0.0.1:" + free + "/none", "any"));
    assertEquals("28P01", refusal(node.jdbcUrl(), "wrong"));
    assertEquals("08001", refusal("jdbc:nobody:", "any"));
  }

  private static String refusal(String url, String password) {
    try (JdbcPool pool = new Database(url, LocalNode.USER, password).pool(1)) {
      return assertThrows(SQLException.class, pool::connection).getSQLState();
    }
  }

  private static String process(Connection connection) throws SQLException {
    return text(connection, "SELECT pg_backend_pid()");
  }

  private static String text(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
