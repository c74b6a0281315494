package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A transaction above READ COMMITTED has one snapshot of all nodes. SERIALIZABLE ones that each
 * write what the other has read elsewhere do not both commit.
 */
@WithCluster
class IsolationIT {
  private static final String SUM = "SELECT sum(v) FROM doctor";

  /** Needs rows of one node beside those of another. */
  private static final String JOIN =
      "SELECT sum(a.v) FROM doctor a WHERE EXISTS (SELECT FROM doctor b WHERE b.k % 100 < 50"
          + " AND (b.k + 1) % 10 <> a.k + 90)";

  private final LocalCluster cluster;
  private final RouterServer router;

  IsolationIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    run("DROP TABLE IF EXISTS doctor");
    run("CREATE TABLE doctor (k int PRIMARY KEY, v int)");
    run("SELECT create_distributed_table('doctor', 'k')");
    run("INSERT INTO doctor VALUES (1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1)");
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
  void readsOfSeveralNodesAreRefusedIfTheTransactionIsToStayOnOne(String first)
      throws SQLException {
    for (String read : new String[] {SUM, "SELECT * FROM doctor", "TABLE doctor LIMIT 1"}) {
      try (Connection connection = cluster.connect();
          Statement statement = connection.createStatement()) {
        statement.execute("SET abelian.distributed_isolation = 'one_node'");
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
    properties.setProperty("options", "-c default_transaction_isolation=serializable");
    try (Connection connection = DriverManager.getConnection(cluster.driverUrl(), properties);
        Statement statement = connection.createStatement()) {
      statement.execute("SET abelian.distributed_isolation = 'one_node'");
      assertRefused(statement, SUM);
      statement.execute("SELECT v FROM doctor WHERE k = 1");
    }
  }

  /** Runs the statements in a transaction at each of these levels, and another's between them. */
  private void inBlock(String modes, Step work) throws SQLException {
    for (String level : new String[] {"REPEATABLE READ", "SERIALIZABLE"}) {
      create();
      inBlock(level, modes, work);
    }
  }

  private void inBlock(String level, String modes, Step work) throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("BEGIN");
      statement.execute("SET TRANSACTION ISOLATION LEVEL " + level + modes);
      work.run(statement);
    }
  }

  private interface Step {
    void run(Statement statement) throws SQLException;
  }

  private static long number(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ", READ ONLY"})
  void whatOthersCommitAfterTheFirstReadIsNotSeenOnAnyNode(String modes) throws SQLException {
    inBlock(
        modes,
        statement -> {
          assertEquals(1, number(statement, "SELECT v FROM doctor WHERE k = 1"));
          run("UPDATE doctor SET v = v + 1");
          run("INSERT INTO doctor VALUES (7, 7), (8, 8), (9, 9)");
          assertEquals(6, number(statement, SUM));
          assertEquals(6, number(statement, JOIN));
          for (int k = 1; k <= 6; k++) {
            assertEquals(1, number(statement, "SELECT v FROM doctor WHERE k = " + k));
          }
          statement.execute("COMMIT");
          assertEquals(36, number(statement, SUM));
        });
  }

  @Test
  void whatTheTransactionItselfDoesOnAnyNodeIsSeen() throws SQLException {
    inBlock(
        "",
        statement -> {
          statement.execute("UPDATE doctor SET v = 2 WHERE k <= 3");
          assertEquals(9, number(statement, SUM));
          statement.execute("SAVEPOINT a");
          statement.execute("DELETE FROM doctor");
          assertEquals(0, number(statement, "SELECT count(*) FROM doctor"));
          statement.execute("ROLLBACK TO a");
          run("UPDATE doctor SET v = 5 WHERE k = 6");
          statement.execute("INSERT INTO doctor VALUES (7, 1), (8, 1)");
          assertEquals(11, number(statement, JOIN));
          statement.execute("COMMIT");
          assertEquals(15, number(statement, SUM));
        });
  }

  @Test
  void whoChangesWhatOthersHaveChangedSinceFails() throws SQLException {
    for (int k = 1; k <= 6; k++) {
      String update = "UPDATE doctor SET v = v + 1 WHERE k = " + k;
      inBlock(
          "",
          statement -> {
            number(statement, SUM);
            run("UPDATE doctor SET v = v + 1");
            SQLException error =
                assertThrows(SQLException.class, () -> statement.execute(update), update);
            assertEquals("40001", error.getSQLState(), error.getMessage());
          });
    }
  }

  @Test
  void aSnapshotOfAnotherSessionIsRefusedAsItIsThatOfOneNode() throws SQLException {
    inBlock(
        "",
        statement -> {
          String exported;
          try (Connection other = cluster.connect();
              Statement exports = other.createStatement();
              ResultSet rows = exports.executeQuery("SELECT pg_export_snapshot()")) {
            rows.next();
            exported = rows.getString(1);
          }
          assertRefused(statement, "SET TRANSACTION SNAPSHOT '" + exported + "'");
        });
  }

  private static String outcome(Step step, Statement statement) {
    try {
      step.run(statement);
      return "done";
    } catch (SQLException error) {
      return error.getSQLState();
    }
  }

  /** A row of each of the first two nodes. */
  private List<Long> doctorsOfTwoNodes() throws SQLException {
    List<Long> keys = new ArrayList<>();
    for (LocalNode node : cluster.nodes().subList(0, 2)) {
      try (Connection connection = node.connectAsSuperuser();
          Statement statement = connection.createStatement()) {
        keys.add(number(statement, "SELECT min(k) FROM doctor"));
      }
    }
    return keys;
  }

  /** Each doctor goes off call if another one is left, who is on another node. */
  @ParameterizedTest
  @CsvSource({"SERIALIZABLE, 1", "REPEATABLE READ, 2"})
  void doctorsOfDifferentNodesDoNotAllGoOffCallAtOnce(String level, int committed)
      throws SQLException {
    List<Long> two = doctorsOfTwoNodes();
    run("DELETE FROM doctor WHERE k NOT IN (" + two.get(0) + ", " + two.get(1) + ")");
    inBlock(
        level,
        "",
        one ->
            inBlock(
                level,
                "",
                other -> {
                  assertEquals(2, number(one, SUM));
                  assertEquals(1, number(other, "SELECT v FROM doctor WHERE k = " + two.get(1)));
                  one.execute("UPDATE doctor SET v = 0 WHERE k = " + two.get(1));
                  other.execute("UPDATE doctor SET v = 0 WHERE k = " + two.get(0));
                  List<String> ends =
                      List.of(
                          outcome(statement -> statement.execute("COMMIT"), one),
                          outcome(statement -> statement.execute("COMMIT"), other));
                  assertEquals(committed, Collections.frequency(ends, "done"), ends.toString());
                  assertEquals(2 - committed, Collections.frequency(ends, "40001"));
                }));
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      assertEquals(2 - committed, number(statement, SUM));
    }
  }

  /** The read-only anomaly: what the reader has seen excludes each order of the other two. */
  @ParameterizedTest
  @CsvSource({"'', SELECT 1", "' READ ONLY', SELECT 1", "'', NOTIFY read"})
  void whoHasOnlyReadHasItsPlaceInTheOrder(String modes, String more) throws SQLException {
    List<Long> two = doctorsOfTwoNodes();
    String first = "SELECT v FROM doctor WHERE k = " + two.get(0);
    String second = "SELECT v FROM doctor WHERE k = " + two.get(1);
    inBlock(
        "SERIALIZABLE",
        "",
        pivot -> {
          assertEquals(1, number(pivot, first));
          assertEquals(1, number(pivot, second));
          inBlock(
              "SERIALIZABLE",
              "",
              writer -> {
                assertEquals(1, number(writer, second));
                writer.execute("UPDATE doctor SET v = 20 WHERE k = " + two.get(1));
                writer.execute("COMMIT");
              });
          inBlock(
              "SERIALIZABLE",
              modes,
              reader -> {
                assertEquals(25, number(reader, SUM));
                reader.execute(more);
                reader.execute("COMMIT");
              });
          String end =
              outcome(
                  statement -> {
                    statement.execute("UPDATE doctor SET v = -11 WHERE k = " + two.get(0));
                    statement.execute("COMMIT");
                  },
                  pivot);
          assertEquals("40001", end);
        });
  }

  @Test
  void onlyNodesOnWhichASerializableTransactionHasWorkedTakePartInItsCommit() throws SQLException {
    List<Long> two = doctorsOfTwoNodes();
    String read = "SELECT v FROM doctor WHERE k = " + two.get(0);
    for (int where = 0; where < 2; where++) {
      String write = "UPDATE doctor SET v = 5 WHERE k = " + two.get(where);
      String expected = where == 0 ? "commit class single" : "commit class coordinated";
      try (Connection connection = cluster.connect();
          Statement statement = connection.createStatement()) {
        statement.execute("SET abelian.commit_notice = on");
        statement.execute("BEGIN ISOLATION LEVEL SERIALIZABLE");
        assertEquals(1 + 4 * where, number(statement, read));
        statement.execute(write);
        statement.execute("COMMIT");
        String notice = statement.getWarnings().getMessage();
        assertTrue(notice.startsWith(expected), notice);
      }
    }
  }

  @Test
  void aDeferrableTransactionDoesNotWaitForASafeMoment() throws SQLException {
    inBlock(
        "SERIALIZABLE",
        "",
        writer -> {
          writer.execute("UPDATE doctor SET v = 2");
          inBlock(
              "SERIALIZABLE",
              ", READ ONLY, DEFERRABLE",
              reader -> {
                assertEquals(6, number(reader, SUM));
                writer.execute("COMMIT");
                reader.execute("SAVEPOINT a");
                assertEquals(6, number(reader, SUM));
                reader.execute("COMMIT");
              });
        });
  }

  @Test
  void aLockComesBeforeTheSnapshot() throws SQLException {
    inBlock(
        "",
        statement -> {
          statement.execute("LOCK TABLE doctor IN ACCESS SHARE MODE");
          run("UPDATE doctor SET v = 2");
          assertEquals(12, number(statement, SUM));
          run("UPDATE doctor SET v = 3");
          assertEquals(12, number(statement, SUM));
          assertEquals(2, number(statement, "SELECT v FROM doctor WHERE k = 1"));
        });
  }

  @Test
  void whatIsPreparedBehindALockBelongsToTheSnapshot() throws SQLException {
    run("CREATE TABLE IF NOT EXISTS lonely (a int)");
    for (String lock : new String[] {"LOCK TABLE doctor IN ACCESS SHARE MODE", "LOCK lonely"}) {
      run("UPDATE doctor SET v = 1");
      try (Connection connection = router.connect();
          Statement statement = connection.createStatement()) {
        statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
        statement.execute(lock);
        String sum = SUM + " /* never seen before: " + lock + " */";
        try (PreparedStatement prepared = connection.prepareStatement(sum)) {
          prepared.getMetaData();
          run("UPDATE doctor SET v = 2");
          try (ResultSet rows = prepared.executeQuery()) {
            rows.next();
            assertEquals(6, rows.getLong(1), lock);
          }
          assertEquals(6, number(statement, JOIN), lock);
        }
      }
    }
    run("DROP TABLE lonely");
  }

  @Test
  void aChainedTransactionHasTheLevelOfTheOneBefore() throws SQLException {
    inBlock(
        ", READ ONLY",
        statement -> {
          assertEquals(6, number(statement, SUM));
          statement.execute("COMMIT AND CHAIN");
          assertEquals(6, number(statement, SUM));
          run("UPDATE doctor SET v = 2");
          assertEquals(6, number(statement, SUM));
          SQLException error =
              assertThrows(SQLException.class, () -> statement.execute("UPDATE doctor SET v = 3"));
          assertEquals("25006", error.getSQLState(), error.getMessage());
        });
  }

  @Test
  void aLevelIsNotChangedBehindASavepoint() throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("BEGIN");
      statement.execute("SAVEPOINT a");
      SQLException error =
          assertThrows(
              SQLException.class,
              () -> statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"));
      assertEquals("25001", error.getSQLState(), error.getMessage());
    }
  }

  @Test
  void aTransactionMayBeKeptOnOneNode() throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
      statement.execute("SET LOCAL abelian.distributed_isolation = 'one_node'");
      assertEquals(1, number(statement, "SELECT v FROM doctor WHERE k = 1"));
      SQLException error =
          assertThrows(
              SQLException.class,
              () -> statement.execute("SET abelian.distributed_isolation = 'snapshot'"));
      assertEquals("25001", error.getSQLState(), error.getMessage());
      statement.execute("ROLLBACK");
      statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
      assertEquals(6, number(statement, SUM));
    }
  }

  @Test
  void aStatementThatIsDescribedFirstHasTheSnapshotOfItsTransaction() throws SQLException {
    for (String begin : new String[] {"BEGIN ISOLATION LEVEL REPEATABLE READ", "BEGIN", ""}) {
      try (Connection connection = router.connect();
          Statement statement = connection.createStatement()) {
        String level = begin.length() > 5 ? "read committed" : "repeatable read";
        statement.execute("SET default_transaction_isolation = '" + level + "'");
        try (PreparedStatement prepared =
            connection.prepareStatement(SUM + " WHERE now() > ? AND k <> ?")) {
          for (int i = 0; i < 8; i++) {
            if (!begin.isEmpty()) {
              statement.execute(begin);
            }
            prepared.setTimestamp(1, new Timestamp(0)); // The driver has to ask for its type.
            prepared.setObject(2, "100", Types.OTHER);
            try (ResultSet rows = prepared.executeQuery()) {
              rows.next();
              assertEquals(6, rows.getLong(1), begin);
            }
            statement.execute(begin.isEmpty() ? "SELECT 1" : "COMMIT");
          }
        }
      }
    }
  }

  @Test
  void aSessionLeavesTheLevelByAStatementOfItsOwn() throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET default_transaction_isolation = 'repeatable read'");
      statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
      assertEquals("25P01", statement.getWarnings().getSQLState());
      statement.execute("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE");
      statement.execute("SET abelian.distributed_isolation = 'one_node'");
      assertRefused(statement, SUM);
    }
  }

  @Test
  void aSessionsDefaultCountsForStatementsOfTheirOwn() throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET default_transaction_isolation = 'repeatable read'");
      assertEquals(6, number(statement, SUM));
      assertEquals(6, number(statement, JOIN));
      assertEquals(1, number(statement, "SELECT v FROM doctor WHERE k = 1"));
      statement.execute("INSERT INTO doctor VALUES (7, 1), (8, 1), (9, 1)");
      statement.execute("UPDATE doctor SET v = 2");
      assertEquals(18, number(statement, SUM));
    }
  }
}
