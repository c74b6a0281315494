package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.abelian.harness.Fault;
import org.abelian.harness.LocalNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a read whose witness, a node that it does not read, is not there. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WitnessFaultsIT {
  /** As often as a router asks a witness in a row, and a few times more. */
  private static final int READS = 40;

  /** What a witness is asked by. */
  private static final String ASKED = "SELECT WHERE false";

  private static ProxiedCluster cluster;

  @RegisterExtension static final HealedAfterFailure HEALED = new HealedAfterFailure(() -> cluster);

  private List<Integer> keys;
  private String read;

  @BeforeAll
  static void createCluster() throws SQLException {
    cluster = ProxiedCluster.create(3);
    try (Connection connection = cluster.router().connect()) {
      execute(connection, "CREATE TABLE halves (id int PRIMARY KEY, balance int)");
      execute(connection, "SELECT create_distributed_table('halves', 'id')");
      execute(connection, "INSERT INTO halves SELECT i, 0 FROM generate_series(1, 30) i");
    }
  }

  @AfterAll
  static void removeCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** A transaction of the first node and the third makes the router ask the third. */
  @BeforeEach
  void learnOfTheThirdNode() throws SQLException {
    keys = cluster.keyOfEachNode("halves");
    read =
        "SELECT sum(balance) FROM halves WHERE id IN (%d, %d)".formatted(keys.get(0), keys.get(1));
    Fault asked = cluster.proxy(2).arm(Fault.hold(Fault.Moment.BEFORE, ASKED, () -> {}));
    String gid = "abelian:2:" + UUID.randomUUID() + ":1-1/1,3";
    try (Connection first = cluster.node(0).connectAsSuperuser();
        Connection connection = cluster.router().connect()) {
      execute(connection, "SELECT sum(balance) FROM halves"); // What it learns is known of all.
      execute(first, "BEGIN");
      execute(first, "UPDATE halves SET balance = 5 WHERE id = " + keys.get(0));
      execute(first, "PREPARE TRANSACTION '" + gid + "'");
      try {
        for (int i = 0; i < 3; i++) {
          assertEquals(0, number(connection, read));
        }
      } finally {
        execute(first, "ROLLBACK PREPARED '" + gid + "'");
      }
      assertTrue(asked.hasStruck(0), "the third node was never asked");
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void disarm() {
    cluster.proxy(2).disarm();
  }

  /** The node itself goes on. */
  @ParameterizedTest(name = "{0}, in a block: {1}")
  @CsvSource({"BEFORE, false", "BEFORE, true", "ANSWERED, false", "ANSWERED, true"})
  void aLostConnectionCostsNoMoreThanOneStatement(Fault.Moment moment, boolean block)
      throws Exception {
    Fault fault = cluster.proxy(2).arm(Fault.cut(moment, ASKED));
    try (Connection connection = cluster.router().connect()) {
      assertTrue(failedReads(connection, block) <= 1);
      assertTrue(fault.hasStruck(20), "the witness was never asked");
      assertEquals(0, number(connection, "SELECT sum(balance) FROM halves"));
    }
  }

  @ParameterizedTest(name = "in a block: {0}")
  @ValueSource(booleans = {false, true})
  void aNodeThatDiesCostsNoMoreThanOneStatement(boolean block) throws Exception {
    LocalNode third = cluster.node(2);
    Fault fault = cluster.proxy(2).arm(Fault.cut(Fault.Moment.BEFORE, ASKED, third::kill));
    try (Connection connection = cluster.router().connect()) {
      assertTrue(failedReads(connection, block) <= 1);
      assertTrue(fault.hasStruck(20), "the witness was never asked");
      assertEquals(0, failedReads(connection, block));
    } finally {
      third.start();
    }
  }

  @ParameterizedTest(name = "in a block: {0}")
  @ValueSource(booleans = {false, true})
  void aNodeThatIsDeadAlreadyCostsNothing(boolean block) throws Exception {
    LocalNode third = cluster.node(2);
    third.kill();
    cluster.proxy(2).cutAll();
    try (Connection connection = cluster.router().connect()) {
      assertEquals(0, failedReads(connection, block));
    } finally {
      third.start();
    }
  }

  /** How many of the reads fail; each other one has the right answer. */
  private int failedReads(Connection connection, boolean block) throws SQLException {
    int failed = 0;
    for (int i = 0; i < READS; i++) {
      connection.setAutoCommit(!block);
      try {
        assertEquals(0, number(connection, read));
      } catch (SQLException e) {
        assertEquals("08006", e.getSQLState(), e.toString());
        failed++;
      }
      if (block) {
        connection.rollback();
      }
    }
    connection.setAutoCommit(true);
    return failed;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static long number(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
