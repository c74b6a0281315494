package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls take the cheapest class that the procedure's class and the session's transaction allow, and
 * the client is told which, and why.
 */
@WithCluster
class ProcedureClassIT {
  private static final String NOTE = "public.note(integer,integer,text)";

  private final LocalCluster cluster;
  private Connection connection;
  private int[] ids;

  ProcedureClassIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void create() throws SQLException {
    connection = cluster.connect();
    execute("DROP TABLE IF EXISTS tag CASCADE");
    execute("CREATE TABLE tag (id int, what text)");
    execute("SELECT create_distributed_table('tag', 'id')");
    for (int id = 1; id <= 30; id++) {
      execute("INSERT INTO tag VALUES (" + id + ", '')");
    }
    execute(
        "CREATE OR REPLACE PROCEDURE note(a int, b int, w text) LANGUAGE sql BEGIN ATOMIC"
            + " UPDATE tag SET what = w WHERE id = a; UPDATE tag SET what = w WHERE id = b; END");
    execute("CALL create_distributed_procedure('note(int, int, text)', 'a, b', 'tag')");
    ids = new int[cluster.nodes().size()];
    for (int node = 0; node < ids.length; node++) {
      try (Connection direct = cluster.nodes().get(node).connect();
          Statement statement = direct.createStatement();
          ResultSet rows = statement.executeQuery("SELECT min(id) FROM tag")) {
        rows.next();
        ids[node] = rows.getInt(1);
      }
    }
    execute("SET abelian.commit_notice = on");
  }

  @AfterEach
  void drop() throws SQLException {
    connection.close();
    try (Connection last = cluster.connect();
        Statement statement = last.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS tag CASCADE");
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Runs it, and gives what the router says about its class. */
  private String told(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
      SQLWarning warning = statement.getWarnings();
      return warning == null ? "nothing" : warning.getMessage();
    }
  }

  private String call() {
    return "CALL note(" + ids[0] + ", " + ids[1] + ", '" + UUID.randomUUID() + "')";
  }

  /** How many lanes have moved since; a lane moves when it executes a fragment. */
  private long lanes() throws SQLException {
    long sum = 0;
    for (LocalNode node : cluster.nodes()) {
      sum += ProxiedCluster.number(node, "SELECT at FROM abelian.independent_lane");
    }
    return sum;
  }

  private void assertClass(String expected, boolean inLanes) throws SQLException {
    long before = lanes();
    assertEquals("commit class " + expected, told(call()));
    assertEquals(inLanes, lanes() > before, "the call went through the lanes");
    String written =
        "SELECT count(DISTINCT what) = 1 AND count(*) = 2 AND min(what) <> '' FROM tag WHERE id IN"
            + " ("
            + ids[0]
            + ", "
            + ids[1]
            + ")";
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(written)) {
      rows.next();
      assertEquals("t", rows.getString(1), "both rows have the text of the call");
    }
  }

  @Test
  void anIndependentProcedureIsCalledInLanesWithoutBeingAsked() throws SQLException {
    assertClass("independent: every participant decides alike", true);
  }

  @Test
  void aSettingOfTheSessionRulesItOutUntilItIsReset() throws SQLException {
    execute("SET abelian.commit_class = 'coordinated'");
    assertClass("coordinated: abelian.commit_class is coordinated", false);
    execute("RESET abelian.commit_class");
    assertClass("independent: every participant decides alike", true);
  }

  @Test
  void aCoordinatedProcedureIsCoordinated() throws SQLException {
    execute(
        "CALL create_distributed_procedure('note(int, int, text)', 'a, b', 'tag', class =>"
            + " 'coordinated')");
    assertClass(
        "coordinated: " + NOTE + " is coordinated; abelian.explain_procedure() says why", false);
  }

  @Test
  void aPromiseOfTheOwnerCountsLikeTheAnalysis() throws SQLException {
    execute(
        "CREATE OR REPLACE PROCEDURE note(a int, b int, w text) LANGUAGE plpgsql AS $$ BEGIN"
            + " EXECUTE format('UPDATE tag SET what = %L WHERE id IN (%s, %s)', w, a, b); END $$");
    assertClass(
        "coordinated: " + NOTE + " is coordinated; abelian.explain_procedure() says why", false);
    execute(
        "CALL create_distributed_procedure('note(int, int, text)', 'a, b', 'tag', class =>"
            + " 'independent', unsafe => true)");
    assertClass("independent: every participant decides alike", true);
  }

  /** By both keys declared, and by a second one that the node meets while it runs the body. */
  @ParameterizedTest
  @ValueSource(strings = {"a, b", "a"})
  void aBodyThatCarriesValuesRunsOnOneNodeOnly(String keys) throws SQLException {
    execute(
        "CREATE OR REPLACE PROCEDURE copied(a int, b int) LANGUAGE plpgsql AS $$ DECLARE t text;"
            + " BEGIN SELECT what INTO t FROM tag WHERE id = a;"
            + " UPDATE tag SET what = t WHERE id = b; END $$");
    String declared = "CALL create_distributed_procedure('copied(int, int)', '" + keys + "', 'tag'";
    execute(declared + ")");
    execute("UPDATE tag SET what = 'x' WHERE id = " + ids[0]);
    execute("UPDATE tag SET what = 'y' WHERE id = " + ids[1]);
    String acrossNodes = "CALL copied(" + ids[0] + ", " + ids[1] + ")";
    for (int attempt = 0; attempt < 5; attempt++) { // the router learns keys from attempts in vain
      SQLException refused = assertThrows(SQLException.class, () -> execute(acrossNodes));
      assertEquals("0A000", refused.getSQLState(), refused.getMessage());
      assertEquals("y", what(ids[1]));
    }
    int neighbour = neighbour();
    execute("CALL copied(" + ids[0] + ", " + neighbour + ")");
    assertEquals("x", what(neighbour));
    execute(declared + ", unsafe => true)");
    execute(acrossNodes);
    assertEquals(null, what(ids[1]), "what the owner has promised is not so");
  }

  /** Only the first key's node sees the row of which the others are made. */
  @Test
  void aRowThatIsMadeOfARowOfAnotherNodeIsNotLost() throws SQLException {
    execute("UPDATE tag SET what = 'x' WHERE id = " + ids[0]);
    for (String key : List.of("" + ids[1], "NULL", "length(what) + " + (ids[1] - 1))) {
      execute(
          "CREATE OR REPLACE PROCEDURE made(a int) LANGUAGE sql BEGIN ATOMIC INSERT INTO tag SELECT"
              + " "
              + key
              + ", 'made' FROM tag WHERE id = a; END");
      execute("CALL create_distributed_procedure('made(int)', 'a', 'tag')");
      boolean isMade = true;
      try {
        execute("CALL made(" + ids[0] + ")");
      } catch (SQLException refused) {
        assertEquals("0A000", refused.getSQLState(), key + ": " + refused.getMessage());
        isMade = false;
      }
      try (Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("SELECT FROM tag WHERE what = 'made'")) {
        assertEquals(isMade, rows.next(), key);
      }
      execute("DELETE FROM tag WHERE what = 'made'");
      execute("DROP PROCEDURE made(int)");
    }
  }

  private String what(int id) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT what FROM tag WHERE id = " + id)) {
      row.next();
      return row.getString(1);
    }
  }

  /** Another key of the first key's node. */
  private int neighbour() throws SQLException {
    try (Connection direct = cluster.nodes().get(0).connect();
        Statement statement = direct.createStatement();
        ResultSet rows = statement.executeQuery("SELECT max(id) FROM tag")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  @Test
  void onOneNodeItIsThatNodesOwn() throws SQLException {
    long before = lanes();
    String told = told("CALL note(" + ids[1] + ", " + ids[1] + ", 'x')");
    assertEquals("commit class single: all keys of the call are on node 2", told);
    assertEquals(before, lanes());
  }

  @Test
  void insideABlockItIsAPartOfTheBlocksTransaction() throws SQLException {
    execute("BEGIN");
    execute(call());
    assertEquals("commit class coordinated: it is a part of a transaction", told("COMMIT"));
  }

  @Test
  void atAStricterLevelItIsCoordinated() throws SQLException {
    execute("SET abelian.distributed_isolation = 'per_node'");
    execute("SET default_transaction_isolation = 'repeatable read'");
    assertClass("coordinated: its isolation level is above READ COMMITTED", false);
  }

  @Test
  void inAnotherRoleItIsCoordinated() throws SQLException {
    onEachNode("DROP ROLE IF EXISTS caller", "CREATE ROLE caller ROLE app");
    execute("GRANT SELECT, UPDATE ON tag TO caller");
    execute("SET ROLE caller");
    assertClass(
        "coordinated: a setting of the session does not hold for one transaction alone", false);
    execute("SET ROLE NONE");
    assertClass("independent: every participant decides alike", true);
    onEachNode("DROP OWNED BY caller", "DROP ROLE caller");
  }

  private void onEachNode(String... commands) throws SQLException {
    for (LocalNode node : cluster.nodes()) {
      try (Connection direct = node.connectAsSuperuser();
          Statement statement = direct.createStatement()) {
        for (String command : commands) {
          statement.execute(command);
        }
      }
    }
  }

  @Test
  void aCallThatMissesANodeIsRunAgainInTheLanesOfAll() throws SQLException {
    execute("CALL create_distributed_procedure('note(int, int, text)', 'a', 'tag')");
    assertClass("independent: every participant decides alike", true);
    int third = ids[2];
    execute(
        "CREATE OR REPLACE PROCEDURE note(a int, b int, w text) LANGUAGE sql BEGIN ATOMIC UPDATE"
            + " tag SET what = w WHERE id = a; UPDATE tag SET what = w WHERE id = b; UPDATE tag"
            + " SET what = w WHERE id = "
            + third
            + "; END");
    execute("CALL create_distributed_procedure('note(int, int, text)', 'a, b', 'tag')");
    long before = lanes();
    String told = told(call());
    assertEquals("commit class independent: every participant decides alike", told);
    assertEquals(true, lanes() > before);
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT count(DISTINCT what) FROM tag WHERE what <> ''")) {
      rows.next();
      assertEquals(1, rows.getInt(1));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"extended", "simple"})
  void theRouterTellsHowItHasCommitted(String mode) throws SQLException {
    String url = cluster.driverUrl() + "?preferQueryMode=" + mode;
    try (Connection other = DriverManager.getConnection(url, LocalNode.USER, LocalNode.USER);
        Statement statement = other.createStatement()) {
      for (int i = 0; i < 7; i++) { // from some execution on, pgjdbc prepares it
        long before = independent(statement);
        statement.execute(call());
        assertEquals(before + 1, independent(statement));
      }
    }
  }

  private static long independent(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SHOW abelian.commit_statistics")) {
      row.next();
      Matcher count = Pattern.compile("\"independent\":(\\d+)").matcher(row.getString(1));
      assertEquals(true, count.find(), row.getString(1));
      return Long.parseLong(count.group(1));
    }
  }

  @Test
  void preparedCallsTakeTheSameClass() throws SQLException {
    long before = lanes();
    try (var call = connection.prepareStatement("CALL note(?, ?, ?)")) {
      for (int i = 0; i < 7; i++) {
        call.setInt(1, ids[0]);
        call.setInt(2, ids[1]);
        call.setString(3, "it's number " + i);
        call.execute();
        assertEquals(
            "commit class independent: every participant decides alike",
            call.getWarnings().getMessage());
        call.clearWarnings();
      }
    }
    assertEquals(true, lanes() > before);
  }
}
