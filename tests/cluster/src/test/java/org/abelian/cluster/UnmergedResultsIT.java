package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.harness.CommitCounts;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * An independent call whose results cannot be made one is committed all the same: its client is
 * told so, and nobody gets another's answers.
 */
@WithCluster
class UnmergedResultsIT {
  private static final int CLIENTS = 8;
  private static final int ROUNDS = 20;
  private static final String RESULT_LOST = "AB005";

  private final LocalCluster cluster;
  private int first;
  private int second;

  UnmergedResultsIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void create() throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE tally (id int PRIMARY KEY, n bigint NOT NULL)");
      statement.execute("SELECT create_distributed_table('tally', 'id')");
      statement.execute(
          "INSERT INTO tally VALUES "
              + IntStream.rangeClosed(1, 40)
                  .mapToObj(id -> "(" + id + ", 0)")
                  .collect(Collectors.joining(", ")));
      for (String name : new String[] {"number", "nan"}) {
        statement.execute(
            "CREATE PROCEDURE tally_"
                + name
                + "(a int, b int, INOUT total numeric) LANGUAGE plpgsql AS $$ BEGIN"
                + " UPDATE tally SET n = n + 1 WHERE id IN (a, b); total := "
                + (name.equals("nan") ? "'NaN'" : "1")
                + "; END $$");
        statement.execute(
            "SELECT create_distributed_procedure('tally_"
                + name
                + "(int, int, numeric)', 'a, b', 'tally', merge => 'sum', class => 'independent',"
                + " unsafe => true)");
      }
    }
    first = key(0);
    second = key(1);
  }

  private int key(int node) throws SQLException {
    return (int) ProxiedCluster.number(cluster.nodes().get(node), "SELECT min(id) FROM tally");
  }

  @AfterEach
  void drop() throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE tally CASCADE");
      statement.execute("DROP PROCEDURE tally_number, tally_nan");
    }
  }

  private String call(String name) {
    return "CALL tally_" + name + "(" + first + ", " + second + ", 0)";
  }

  private void assertCommitted(long calls) throws SQLException {
    for (int node = 0; node < 2; node++) {
      String count = "SELECT n FROM tally WHERE id = " + (node == 0 ? first : second);
      assertEquals(calls, ProxiedCluster.number(cluster.nodes().get(node), count));
    }
  }

  @Test
  void aSessionIsToldThatItIsCommittedAndGoesOn() throws Exception {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      for (int i = 1; i <= 3; i++) {
        SQLException lost = assertThrows(SQLException.class, () -> statement.execute(call("nan")));
        assertEquals(RESULT_LOST, lost.getSQLState());
        assertTrue(lost.getMessage().contains("committed"), lost.getMessage());
        assertCommitted(i);
        assertGetsItsOwnAnswers(statement);
      }
    }
  }

  private void assertGetsItsOwnAnswers(Statement statement) throws SQLException {
    for (int query = 0; query < 4; query++) {
      int key = query % 2 == 0 ? first : second;
      String text = "SELECT 'answer " + query + "' FROM tally WHERE id = " + key;
      try (ResultSet rows = statement.executeQuery(text)) {
        assertTrue(rows.next());
        assertEquals("answer " + query, rows.getString(1));
      }
    }
  }

  @Test
  void aCoordinatedCallIsRolledBackForIt() throws Exception {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET abelian.commit_class = 'coordinated'");
      for (int i = 0; i < 3; i++) {
        SQLException refused =
            assertThrows(SQLException.class, () -> statement.execute(call("nan")));
        assertEquals("0A000", refused.getSQLState());
        assertCommitted(0);
        assertGetsItsOwnAnswers(statement);
      }
    }
  }

  @Test
  void thoseWhoShareItsTransactionGetTheirResults() throws Exception {
    AtomicLong calls = new AtomicLong();
    ConcurrentLinkedQueue<String> complaints = new ConcurrentLinkedQueue<>();
    long before;
    try (Connection connection = cluster.connect()) {
      before = CommitCounts.shared(connection);
    }
    try (CombiningCrew crew = new CombiningCrew(CLIENTS, cluster::connect)) {
      crew.run(
          (connection, client) -> {
            for (int i = 0; i < ROUNDS; i++) {
              boolean guilty = client == 0;
              try (Statement statement = connection.createStatement();
                  ResultSet rows = statement.executeQuery(call(guilty ? "nan" : "number"))) {
                rows.next();
                if (guilty || rows.getInt(1) != 2) {
                  complaints.add(client + " got " + rows.getString(1));
                }
              } catch (SQLException e) {
                if (!guilty || !RESULT_LOST.equals(e.getSQLState())) {
                  complaints.add(client + " got " + e.getSQLState() + " " + e.getMessage());
                }
              }
              calls.incrementAndGet();
            }
          });
    }
    assertEquals("[]", complaints.toString());
    assertCommitted(calls.get());
    try (Connection connection = cluster.connect()) {
      assertTrue(CommitCounts.shared(connection) > before, "no call was run with another");
    }
  }
}
