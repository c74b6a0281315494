package org.abelian.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LocalNodeIT {
  @Test
  void keepsCommittedRowsAcrossAKillAndLosesOpenTransactions() throws SQLException {
    try (LocalNode node = LocalNode.create()) {
      try (Connection connection = node.connect();
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE t (x int)");
        statement.execute("INSERT INTO t VALUES (1)");
        connection.setAutoCommit(false);
        statement.execute("INSERT INTO t VALUES (2)");
        node.kill();
        assertThrows(SQLException.class, connection::commit);
      }
      assertThrows(SQLException.class, node::connect);
      node.start();
      assertEquals(1, number(node, "SELECT sum(x) FROM t"));
    }
  }

  @Test
  void appliesSettings() throws SQLException {
    try (LocalNode node = LocalNode.create(Map.of("deadlock_timeout", "17ms"))) {
      assertEquals(
          17, number(node, "SELECT setting FROM pg_settings WHERE name = 'deadlock_timeout'"));
    }
  }

  @Test
  void isGoneWhenClosed() {
    LocalNode node = LocalNode.create();
    node.close();
    assertFalse(NodeScript.run("list").contains(node.name()));
    assertThrows(SQLException.class, node::connect);
  }

  @Test
  void namesOfDeadProcessesAreOrphansAndThoseOfLiveOnesAreNot() {
    assertFalse(OwnedName.isOrphan(OwnedName.next()));
    assertTrue(OwnedName.isOrphan("t_" + ProcessHandle.current().pid() + "_1_1"));
    assertFalse(OwnedName.isOrphan("n1"));
  }

  private static long number(LocalNode node, String query) throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
