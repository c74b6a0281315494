package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What sessions take while their clients do nothing. */
@WithCluster
class ManySessionsIT {
  private static final int SESSIONS = 200;

  /** Of each node for each role. */
  private static final int CONNECTIONS = 8;

  /** From this Java on the server has virtual threads for its clients. */
  private static final int VIRTUAL_SINCE = 24;

  private final LocalCluster cluster;
  private final RouterServer router;
  private final List<Connection> sessions = new ArrayList<>();

  ManySessionsIT(LocalCluster cluster) {
    this.cluster = cluster;
    router = RouterServer.start(cluster, "--connections-per-node", Integer.toString(CONNECTIONS));
  }

  @BeforeEach
  void createTable() throws SQLException {
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS idle");
      statement.execute("CREATE TABLE idle (id int PRIMARY KEY, n int)");
      statement.execute("SELECT create_distributed_table('idle', 'id')");
      statement.execute("INSERT INTO idle SELECT i, 0 FROM generate_series(1, 30) i");
    }
  }

  @AfterEach
  void close() throws SQLException {
    for (Connection session : sessions) {
      session.close();
    }
    router.close();
  }

  private void openSessions() throws SQLException {
    for (int i = 0; i < SESSIONS; i++) {
      Connection session = router.connect();
      sessions.add(session);
      useAllNodes(session);
    }
  }

  /** In a transaction, whose connections belong to the session until its end. */
  private static void useAllNodes(Connection session) throws SQLException {
    session.setAutoCommit(false);
    try (Statement statement = session.createStatement()) {
      assertEquals(30, statement.executeUpdate("UPDATE idle SET n = n + 1"));
    }
    session.commit();
    session.setAutoCommit(true);
  }

  @Test
  void idleSessionsHoldNoConnectionOfANode() throws SQLException {
    openSessions();
    for (Connection session : sessions) {
      useAllNodes(session);
    }
    for (LocalNode node : cluster.nodes()) {
      assertTrue(backends(node) <= CONNECTIONS, () -> "too many connections to " + node);
    }
  }

  private static int backends(LocalNode node) {
    String question =
        "SELECT count(*) FROM pg_stat_activity WHERE usename = 'app' AND pid <> pg_backend_pid()";
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(question)) {
      rows.next();
      return rows.getInt(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void idleSessionsTakeNoThreadOfTheSystemWhereJavaCanDoWithout() throws SQLException {
    int before = router.threads();
    openSessions();
    int more = router.threads() - before;
    if (Runtime.version().feature() < VIRTUAL_SINCE) {
      assertTrue(more > SESSIONS / 2, () -> more + " threads");
    } else {
      assertTrue(more < SESSIONS / 2, () -> more + " threads");
    }
  }

  @Test
  void testsRunOnTheJavaThatIsAskedFor() {
    String wanted = System.getenv("ABELIAN_JVM");
    if (wanted != null) {
      assertEquals(Path.of(wanted), Path.of(System.getProperty("java.home"), "bin", "java"));
    }
  }
}
