package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
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
import org.junit.jupiter.api.function.Executable;
import org.postgresql.PGConnection;

/**
 * Connections that a node has left behind when it was restarted are the router's business alone:
 * clients whose sessions were idle go on without an error, through the driver and the server alike.
 */
@WithCluster(exclusive = true)
class RestartedNodeIT {
  private static final int CLIENTS = 10;
  private static final int ROWS = 30;

  /** pgjdbc prepares a statement on the server with its fifth execution. */
  private static final int UNTIL_PREPARED = 6;

  /** Longer than a router trusts an idle connection without a look. */
  private static final long PAUSE_MS = 1_100;

  private static final int LONG_MS = 30_000;

  private static final int ROUNDS = 3;
  private static final String TERMINATE =
      "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
          + " WHERE usename = 'app' AND pid <> pg_backend_pid()";

  private final LocalCluster cluster;
  private final RouterServer router;
  private final List<Connection> clients = new ArrayList<>();

  RestartedNodeIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void connect() throws SQLException {
    try (Connection owner = router.connect()) {
      run(owner, "DROP TABLE IF EXISTS restarted");
      run(owner, "CREATE TABLE restarted (id int PRIMARY KEY, v int NOT NULL DEFAULT 0)");
      run(owner, "SELECT create_distributed_table('restarted', 'id')");
      for (int id = 1; id <= ROWS; id++) {
        run(owner, "INSERT INTO restarted VALUES (" + id + ")");
      }
    }
    for (int i = 0; i < CLIENTS / 2; i++) {
      clients.add(router.connect());
      clients.add(cluster.connect());
    }
  }

  @AfterEach
  void disconnect() throws SQLException {
    for (Connection client : clients) {
      client.close();
    }
  }

  private void crashAll() throws InterruptedException {
    cluster.nodes().forEach(LocalNode::kill);
    cluster.nodes().forEach(LocalNode::start);
    Thread.sleep(PAUSE_MS);
  }

  private void restartAll() throws InterruptedException {
    cluster.nodes().forEach(LocalNode::stop);
    cluster.nodes().forEach(LocalNode::start);
    Thread.sleep(PAUSE_MS);
  }

  @Test
  void readsOfAllNodesGoOnAfterACrash() throws Exception {
    for (Connection client : clients) {
      assertEquals(ROWS, number(client, "SELECT count(*) FROM restarted"));
    }
    crashAll();
    for (Connection client : clients) {
      assertEquals(ROWS, number(client, "SELECT count(*) FROM restarted"));
    }
  }

  @Test
  void readsOfAllNodesGoOnAfterAnOrderlyRestart() throws Exception {
    for (Connection client : clients) {
      assertEquals(ROWS, number(client, "SELECT count(*) FROM restarted"));
    }
    restartAll();
    for (Connection client : clients) {
      assertEquals(ROWS, number(client, "SELECT count(*) FROM restarted"));
    }
  }

  @Test
  void preparedStatementsAndSettingsGoOnAfterACrash() throws Exception {
    List<PreparedStatement> updates = new ArrayList<>();
    for (Connection client : clients) {
      run(client, "SET extra_float_digits = 1");
      PreparedStatement update =
          client.prepareStatement("UPDATE restarted SET v = v + 1 WHERE id = ?");
      updates.add(update);
      for (int i = 1; i <= UNTIL_PREPARED; i++) {
        update(update, i);
      }
    }
    crashAll();
    for (PreparedStatement update : updates) {
      for (int i = 1; i <= UNTIL_PREPARED; i++) {
        update(update, i);
      }
    }
    for (Connection client : clients) {
      assertEquals(1, number(client, "SHOW extra_float_digits"));
      assertEquals(2L * CLIENTS * UNTIL_PREPARED, number(client, "SELECT sum(v) FROM restarted"));
    }
  }

  @Test
  void transactionsThatHaveDoneNothingYetGoOnAfterACrash() throws Exception {
    for (Connection client : clients) {
      assertEquals(ROWS, number(client, "SELECT count(*) FROM restarted"));
      run(client, "BEGIN");
    }
    crashAll();
    for (Connection client : clients) {
      run(client, "UPDATE restarted SET v = v + 1 WHERE id = 1");
      run(client, "UPDATE restarted SET v = v + 1 WHERE id = 2");
      run(client, "COMMIT");
    }
    assertEquals(2L * CLIENTS, number(clients.get(0), "SELECT sum(v) FROM restarted"));
  }

  /** Without a pause, in which the router would have lost its trust in them. */
  @Test
  void whoConnectsRightAfterConnectionsWereLostIsLetIn() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      router.connect().close();
      cluster.connect().close();
      for (LocalNode node : cluster.nodes()) {
        try (Connection superuser = node.connectAsSuperuser()) {
          number(superuser, TERMINATE);
        }
      }
      router.connect().close();
      cluster.connect().close();
      Thread.sleep(PAUSE_MS);
    }
  }

  /** Nobody goes on to listen who may have missed something. */
  @Test
  void aNodeThatIsLostEndsThoseWhoListen() throws Exception {
    LocalNode last = cluster.node(cluster.nodes().size() - 1);
    List<Connection> listeners = clients.subList(0, 2);
    for (Connection listener : listeners) {
      run(listener, "LISTEN news");
    }
    last.kill();
    try {
      for (Connection listener : listeners) {
        PGConnection told = listener.unwrap(PGConnection.class);
        assertState("57P01", () -> told.getNotifications(LONG_MS));
      }
      assertState("08001", () -> run(clients.get(2), "LISTEN news"));
    } finally {
      last.start();
    }
    for (Connection listener : clients.subList(2, 4)) {
      run(listener, "LISTEN news");
      run(clients.get(4), "NOTIFY news, 'again'");
      PGConnection told = listener.unwrap(PGConnection.class);
      assertEquals("again", told.getNotifications(LONG_MS)[0].getParameter());
    }
  }

  private static void assertState(String expected, Executable fails) {
    assertEquals(expected, assertThrows(SQLException.class, fails).getSQLState());
  }

  private static void update(PreparedStatement update, int id) throws SQLException {
    update.setInt(1, id);
    assertEquals(1, update.executeUpdate());
  }

  private static long number(Connection client, String query) throws SQLException {
    try (Statement statement = client.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      assertTrue(rows.next());
      return rows.getLong(1);
    }
  }

  private static void run(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }
}
