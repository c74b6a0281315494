package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the router cannot do correctly over several nodes it refuses with 0A000 and a hint. */
@WithNode
@WithCluster
class RefusalIT {
  private final RouterServer router;

  RefusalIT(LocalNode node, RouterServer router) throws SQLException {
    this.router = router;
    ParityFixture.create(node, router);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DO $$ BEGIN PERFORM sum(balance) FROM account; END $$",
        "COPY account (owner) FROM STDIN",
        "SET client_encoding = 'LATIN1'",
        "SET NAMES 'SJIS'",
        "INSERT INTO account (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET id = 5",
      })
  void isSaidWithAHint(String sql) throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      List<Message> answer = client.query(sql).untilReady();
      assertEquals('E', answer.get(0).type(), answer.toString());
      assertEquals("0A000", answer.get(0).sqlState(), answer.toString());
      assertNotNull(answer.get(0).fields().get('H'), answer.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO account (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET id = 5",
        "COPY kind FROM STDIN",
        "SELECT nothing FROM account WHERE id = 1",
        "SELECT 1 / 0",
        "SELEC",
        "SELECT count(*) / (count(*) - count(*)) FROM account",
      })
  void whatItsQueryDidBeforeIsRolledBack(String failing) throws Exception {
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement()) {
      long before = balance(statement);
      String query = "UPDATE account SET balance = balance + 1 WHERE id = 2; " + failing;
      assertThrows(SQLException.class, () -> statement.execute(query));
      assertEquals(before, balance(statement), query);
      String path = path(statement);
      String set = "SET search_path = nowhere; " + failing;
      assertThrows(SQLException.class, () -> statement.execute(set));
      assertEquals(path, path(statement), set);
      assertEquals(before, balance(statement), set);
      try (Statement batch = connection.createStatement()) {
        batch.addBatch("UPDATE account SET balance = balance + 1 WHERE id = 2");
        batch.addBatch(failing);
        assertThrows(SQLException.class, batch::executeBatch);
      }
      assertEquals(before, balance(statement), "batch: " + query);
    }
  }

  private static long balance(Statement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery("SELECT balance FROM account WHERE id = 2")) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private static String path(Statement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery("SHOW search_path")) {
      rows.next();
      return rows.getString(1);
    }
  }
}
