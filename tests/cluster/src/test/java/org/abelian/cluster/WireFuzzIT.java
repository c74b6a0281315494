package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import org.abelian.cluster.fuzz.Fuzz;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whatever bytes a client sends: the router answers or ends the connection, has no fault, keeps
 * nothing, and no other session notices. {@code -Dabelian.fuzz.messages} for more of them.
 */
@WithCluster
@Timeout(value = 3600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WireFuzzIT {
  private static final int MESSAGES = Integer.getInteger("abelian.fuzz.messages", 40_000);
  private static final long SEED = Long.getLong("abelian.fuzz.seed", System.nanoTime());
  private static final int TOGETHER = 25;
  private static final int GROUPS = 40;
  private static final int SETTLED_TRIES = 200;

  private final RouterServer router;
  private final LocalCluster cluster;

  WireFuzzIT(RouterServer router, LocalCluster cluster) {
    this.router = router;
    this.cluster = cluster;
  }

  @BeforeEach
  void createTable() throws Exception {
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS fuzzed, undisturbed");
      statement.execute("CREATE TABLE fuzzed (id int PRIMARY KEY, n bigint, t text)");
      statement.execute("SELECT create_distributed_table('fuzzed', 'id')");
      statement.execute("INSERT INTO fuzzed VALUES (1, 1), (2, 2), (3, 3), (4, 4)");
      statement.execute("CREATE TABLE undisturbed (id int PRIMARY KEY, n int)");
      statement.execute("SELECT create_distributed_table('undisturbed', 'id')");
      statement.execute(
          "INSERT INTO undisturbed VALUES (1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (7, 1),"
              + " (8, 1), (9, 1)");
    }
  }

  @Test
  void clientsThatAreKnownMaySendAnything() throws Exception {
    Fuzz fuzz = new Fuzz(SEED);
    try (Connection other = router.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SET LOCAL work_mem = '77MB'");
      statement.execute("UPDATE undisturbed SET n = 2 WHERE id <= 5");
      for (int sent = 0; sent < MESSAGES; sent += TOGETHER * GROUPS) {
        converse(fuzz, sent);
        assertUndisturbed(statement);
      }
      other.commit();
      assertNothingStays();
    }
    assertFalse(router.log().contains("ended by a fault"), () -> "seed " + SEED + router.log());
  }

  @Test
  void clientsThatNobodyKnowsMaySendAnything() throws Exception {
    Fuzz fuzz = new Fuzz(SEED + 1);
    for (int i = 0; i < MESSAGES / 100; i++) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), router.port())) {
        socket.setSoTimeout(30_000);
        socket.getOutputStream().write(fuzz.startup());
        socket.shutdownOutput();
        drain(socket, "start-up " + i);
      }
    }
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement()) {
      assertEquals(9, number(statement, "SELECT count(*) FROM undisturbed"));
    }
    assertFalse(router.log().contains("ended by a fault"), () -> "seed " + SEED + router.log());
  }

  /** Groups of messages over one connection, or over new ones when the router has ended it. */
  private void converse(Fuzz fuzz, int first) throws IOException {
    WireClient client = null;
    try {
      for (int group = 0; group < GROUPS; group++) {
        client = client == null ? ParityFixture.wire(router.port()) : client;
        String where = "group " + (first / TOGETHER + group);
        boolean open = group % 10 == 9 ? broken(client, fuzz, where) : framed(client, fuzz, where);
        if (!open) {
          client.abandon();
          client = null;
        }
      }
    } finally {
      if (client != null) {
        client.abandon();
      }
    }
  }

  /** True while the connection is there: it answers a query behind all that. */
  private boolean framed(WireClient client, Fuzz fuzz, String where) throws IOException {
    try {
      for (int i = 0; i < TOGETHER; i++) {
        client.raw(fuzz.framed());
      }
      client.copyFail("no more").sync().query("ROLLBACK").query("SELECT 'behind all that'").flush();
      Message message;
      do {
        message = client.read();
        require(message, where);
      } while (message.type() != 'D' || !new String(message.body()).endsWith("behind all that"));
      client.untilReady();
      return true;
    } catch (SocketTimeoutException e) {
      return fail("no answer to " + where + " of seed " + SEED, e);
    } catch (IOException ended) {
      return false;
    }
  }

  private boolean broken(WireClient client, Fuzz fuzz, String where) throws IOException {
    try {
      client.raw(fuzz.framed()).raw(fuzz.unframed());
      client.endSending();
      while (true) {
        require(client.read(), where);
      }
    } catch (SocketTimeoutException e) {
      return fail("the connection stays open after " + where + " of seed " + SEED, e);
    } catch (IOException ended) {
      return false;
    }
  }

  /** Errors are the client's, never the router's own faults. */
  private static void require(Message message, String where) {
    if (message.type() == 'E') {
      String state = message.toString();
      assertFalse(state.contains("XX000"), () -> where + " of seed " + SEED + ": " + state);
    }
  }

  private static void drain(Socket socket, String where) {
    try {
      while (socket.getInputStream().read() >= 0) {
        continue;
      }
    } catch (SocketTimeoutException e) {
      fail("the connection stays open after " + where + " of seed " + (SEED + 1), e);
    } catch (IOException ended) {
      assertTrue(socket.isConnected());
    }
  }

  private static void assertUndisturbed(Statement statement) throws Exception {
    assertEquals(14, number(statement, "SELECT sum(n) FROM undisturbed"), () -> "seed " + SEED);
    try (ResultSet shown = statement.executeQuery("SHOW work_mem")) {
      shown.next();
      assertEquals("77MB", shown.getString(1));
    }
  }

  private static long number(Statement statement, String sql) throws Exception {
    try (ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    }
  }

  /** No node keeps a transaction or a lock of a client that is gone. */
  private void assertNothingStays() throws Exception {
    String query =
        "SELECT count(*) FROM pg_stat_activity WHERE usename = 'app'"
            + " AND (state LIKE 'idle in transaction%' OR state = 'active')";
    for (int node = 0; node < 3; node++) {
      try (Connection connection = cluster.node(node).connectAsSuperuser();
          Statement statement = connection.createStatement()) {
        long left = number(statement, query);
        for (int i = 0; i < SETTLED_TRIES && left > 0; i++) {
          Thread.sleep(50);
          left = number(statement, query);
        }
        assertEquals(List.of(0L), List.of(left), "seed " + SEED);
      }
    }
  }
}
