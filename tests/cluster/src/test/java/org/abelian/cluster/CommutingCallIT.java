package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.sql.Types;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which calls of procedures commit in one round, and what becomes of those that fail. */
@WithCluster
class CommutingCallIT {
  private static final String COMMUTING = "commit class commuting: it wrote on several nodes";
  private static final String DROP =
      "DROP TABLE IF EXISTS call_entry, call_note, call_account CASCADE;"
          + " DROP PROCEDURE IF EXISTS call_transfer(int, int, bigint);"
          + " DROP PROCEDURE IF EXISTS call_note(int, int, date, timestamptz, int[])";

  private final LocalCluster cluster;
  private Connection connection;
  private int from;
  private int to;

  CommutingCallIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void create() throws SQLException {
    connection = cluster.connect();
    execute(DROP);
    execute("CREATE TABLE call_account (id int PRIMARY KEY, balance abelian.counter)");
    execute("CREATE TABLE call_entry (account int, amount bigint)");
    execute("SELECT create_distributed_table('call_account', 'id')");
    execute(
        "SELECT create_distributed_table('call_entry', 'account', colocate_with =>"
            + " 'call_account')");
    for (int id = 1; id <= 30; id++) {
      execute("INSERT INTO call_account VALUES (" + id + ", 0)");
    }
    createTransfer("amount");
    execute(
        "SELECT create_distributed_procedure('call_transfer(int, int, bigint)', 'source, target',"
            + " 'call_account')");
    execute("SET abelian.commit_notice = on");
    from = (int) number(cluster.nodes().get(0), "SELECT min(id) FROM call_account");
    to = (int) number(cluster.nodes().get(1), "SELECT min(id) FROM call_account");
  }

  private void createTransfer(String sum) throws SQLException {
    execute(
        "CREATE OR REPLACE PROCEDURE call_transfer(source int, target int, amount bigint) LANGUAGE"
            + " plpgsql AS $$ BEGIN UPDATE call_account SET balance = balance - "
            + sum
            + " WHERE id = source; UPDATE call_account SET balance = balance + "
            + sum
            + " WHERE id = target; INSERT INTO call_entry VALUES (target, amount); END $$");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
    connection = cluster.connect();
    execute(DROP);
    connection.close();
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Calls, and gives the notice. */
  private String transfer(Long amount) throws SQLException {
    try (PreparedStatement call = connection.prepareStatement("CALL call_transfer(?, ?, ?)")) {
      call.setInt(1, from);
      call.setInt(2, to);
      call.setObject(3, amount, Types.BIGINT);
      call.execute();
      SQLWarning warning = call.getWarnings();
      return warning == null ? null : warning.getMessage();
    }
  }

  private static long number(LocalNode node, String query) throws SQLException {
    try (Connection direct = node.connectAsSuperuser()) {
      return number(direct, query);
    }
  }

  private static long number(Connection direct, String query) throws SQLException {
    try (Statement statement = direct.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private void onNode(int index, String sql) throws SQLException {
    try (Connection direct = cluster.nodes().get(index).connectAsSuperuser();
        Statement statement = direct.createStatement()) {
      statement.execute(sql);
    }
  }

  private void assertMoved(long amount, long entries) throws SQLException {
    String balance = "SELECT balance FROM call_account WHERE id = ";
    assertEquals(-amount, number(connection, balance + from));
    assertEquals(amount, number(connection, balance + to));
    assertEquals(entries, number(connection, "SELECT count(*) FROM call_entry"));
    assertEquals(entries, number(cluster.nodes().get(1), "SELECT count(*) FROM call_entry"));
  }

  @Test
  void aCallOfBlindOperationsCommitsInOneRound() throws SQLException {
    for (int i = 1; i <= 10; i++) {
      assertEquals(COMMUTING, transfer(5L));
    }
    assertMoved(50, 10);
    execute("CALL call_transfer(" + from + ", " + to + ", 7)");
    assertMoved(57, 11);
  }

  @Test
  void whatCouldFailOnOneNodeAloneIsCoordinated() throws SQLException {
    execute("SET abelian.commit_class = 'coordinated'");
    transfer(1L);
    execute("SET abelian.commit_class = 'auto'");
    assertNotCommuting(transfer(1L << 41));
    execute("BEGIN");
    assertNotCommuting(transfer(1L));
    execute("COMMIT");
    execute("SET default_transaction_isolation = 'repeatable read'");
    execute("SET abelian.distributed_isolation = 'per_node'");
    assertNotCommuting(transfer(1L));
    execute("RESET default_transaction_isolation");
    assertMoved(3 + (1L << 41), 4);
    assertEquals(COMMUTING, transfer(1L));
  }

  private static void assertNotCommuting(String notice) {
    assertEquals(false, COMMUTING.equals(notice), notice);
  }

  @Test
  void aCallThatAllNodesRefuseDoesNothing() throws SQLException {
    transfer(1L);
    execute("REVOKE UPDATE ON call_account FROM CURRENT_USER");
    SQLException refused = assertThrows(SQLException.class, () -> transfer(1L));
    assertEquals("42501", refused.getSQLState(), refused.toString());
    execute("GRANT UPDATE ON call_account TO CURRENT_USER");
    assertEquals(COMMUTING, transfer(1L));
    assertMoved(2, 2);
  }

  /** The router does not hear of this change: its facts are of before. */
  @Test
  void anIndexThatTheRouterDoesNotKnowOfMakesTheCallCoordinated() throws SQLException {
    assertEquals(COMMUTING, transfer(5L));
    for (int node = 0; node < cluster.nodes().size(); node++) {
      onNode(node, "CREATE INDEX call_quotient ON call_entry ((100 / amount))");
    }
    SQLException refused = assertThrows(SQLException.class, () -> transfer(0L));
    assertEquals("22012", refused.getSQLState(), refused.toString());
    assertMoved(5, 1);
    assertNotCommuting(transfer(2L));
    assertMoved(7, 2);
  }

  /** The first node commits although the second one refuses: what the second one lacks is done. */
  @Test
  void whatOneNodeRefusesIsCompletedWhenAnotherHasCommitted() throws SQLException {
    assertEquals(COMMUTING, transfer(5L));
    onNode(1, "CREATE INDEX call_quotient ON call_entry ((100 / amount))");
    assertEquals(COMMUTING, transfer(6L));
    assertMoved(11, 2);
    onNode(1, "DROP INDEX call_quotient");
    assertEquals(COMMUTING, transfer(7L));
    assertMoved(18, 3);
  }

  /** What a session's settings make of it must not depend on who does it again, and when. */
  @Test
  void datesAndArraysThatReadTheSameEverywhereAreDoneAgainAsTheyWere() throws SQLException {
    execute("CREATE TABLE call_note (account int, day date, at timestamptz, tags int[])");
    execute(
        "SELECT create_distributed_table('call_note', 'account', colocate_with => 'call_account')");
    execute(
        "CREATE PROCEDURE call_note(source int, target int, day date, at timestamptz, tags int[])"
            + " LANGUAGE plpgsql AS $$ BEGIN INSERT INTO call_note VALUES (source, day, at, tags);"
            + " INSERT INTO call_note VALUES (target, day, at, tags); END $$");
    execute(
        "SELECT create_distributed_procedure('call_note(int, int, date, timestamptz, int[])',"
            + " 'source, target', 'call_account')");
    execute("SET DateStyle = 'ISO, DMY'");
    execute("SET TimeZone = 'Asia/Tokyo'");
    assertEquals(COMMUTING, note("2024-05-01", "2024-05-01 12:00:00+02"));
    onNode(1, "CREATE INDEX call_note_quotient ON call_note ((100 / cardinality(tags)))");
    assertEquals(COMMUTING, note("2024-05-01", "2024-05-01 12:00:00+02"));
    onNode(1, "DROP INDEX call_note_quotient");
    assertNotCommuting(note("01/05/2024", "2024-05-01 12:00:00+02"));
    assertNotCommuting(note("2024-05-01", "2024-05-01 19:00:00"));
    String notes =
        "SELECT count(*) FROM call_note WHERE day = DATE '2024-05-01' AND tags = '{1,2}'"
            + " AND at = TIMESTAMPTZ '2024-05-01 10:00:00+00'";
    assertEquals(8, number(connection, notes));
    assertEquals(4, number(cluster.nodes().get(1), notes));
  }

  /** Calls, and gives the notice. */
  private String note(String day, String at) throws SQLException {
    try (PreparedStatement call = connection.prepareStatement("CALL call_note(?, ?, ?, ?, ?)")) {
      call.setInt(1, from);
      call.setInt(2, to);
      call.setObject(3, day, Types.OTHER);
      call.setObject(4, at, Types.OTHER);
      call.setArray(5, connection.createArrayOf("int4", new Integer[] {1, 2}));
      call.execute();
      SQLWarning warning = call.getWarnings();
      return warning == null ? null : warning.getMessage();
    }
  }

  @Test
  void aNodeThatNoArgumentNamesTakesPartInTheEnd() throws SQLException {
    execute(
        "SELECT create_distributed_procedure('call_transfer(int, int, bigint)', 'source',"
            + " 'call_account')");
    assertEquals(COMMUTING, transfer(5L));
    assertMoved(5, 1);
  }

  @Test
  void aReplacedBodyIsAnalysedAnew() throws SQLException {
    assertEquals(COMMUTING, transfer(5L));
    createTransfer("amount * 2");
    assertNotCommuting(transfer(5L));
    assertMoved(15, 2);
    createTransfer("3");
    assertEquals(COMMUTING, transfer(5L));
    assertMoved(18, 3);
  }
}
