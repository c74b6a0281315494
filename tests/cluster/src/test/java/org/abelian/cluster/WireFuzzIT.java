package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.stream.Stream;
import org.abelian.cluster.fuzz.Fuzz;
import org.abelian.cluster.wire.Binding;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.jdbc.SessionSockets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever bytes a client sends: the router answers or ends the connection, has no fault, keeps
 * nothing, and no other session notices. {@code -Dabelian.fuzz.messages} for more of them.
 */
@WithCluster
@Timeout(value = 7200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WireFuzzIT {
  private static final int MESSAGES = Integer.getInteger("abelian.fuzz.messages", 8_000);
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());
  private static final int GROUPS = 40;

  /** Short texts, of which older ones are forgotten: more than {@link #GROWTH_MAX} together. */
  private static final int SHORT_TEXTS = 2500;

  private static final int LONG_TEXTS_MAX = 400;

  private static final int REFUSALS = 20;

  /** What they set is more than {@link #GROWTH_MAX} together. */
  private static final int LONG_SESSIONS = 12;

  private static final int SETTLED_TRIES = 200;

  /** What is known about texts may grow by so much, in bytes, until older ones are forgotten. */
  private static final long GROWTH_MAX = 48 << 20;

  private static final int MORE_THREADS_MAX = 20;

  /** Buffers of connections to nodes that stay open, in bytes. */
  private static final long KEPT_MAX = 4 << 20;

  /** What the connection to the node has prepared, which the router does not show. */
  private static final String PREPARED_HERE =
      "CREATE OR REPLACE FUNCTION prepared_here(OUT name text, OUT statement text,"
          + " OUT prepared timestamptz, OUT parameters regtype[], OUT from_sql boolean,"
          + " OUT generic_plans bigint, OUT custom_plans bigint) RETURNS SETOF record"
          + " LANGUAGE internal STABLE AS 'pg_prepared_statement'";

  private final RouterServer router;
  private final LocalCluster cluster;

  WireFuzzIT(RouterServer router, LocalCluster cluster) {
    this.router = router;
    this.cluster = cluster;
  }

  @BeforeEach
  void createTables() throws Exception {
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS fuzzed");
      statement.execute(
          "CREATE TABLE fuzzed (id int PRIMARY KEY, n bigint, t text,"
              + " hits abelian.counter DEFAULT 0)");
      statement.execute("SELECT create_distributed_table('fuzzed', 'id')");
      statement.execute("INSERT INTO fuzzed (id, n) VALUES (1, 1), (2, 2), (3, 3), (4, 4)");
      UndisturbedSession.createTables(statement);
    }
  }

  @Test
  void clientsThatAreKnownMaySendAnything() throws Exception {
    FuzzedConversation conversation =
        new FuzzedConversation(() -> ParityFixture.wire(router.port()), true, SEED);
    try (UndisturbedSession other = new UndisturbedSession(router)) {
      send(conversation, MESSAGES / 2, other);
      long bytes = router.liveBytes();
      int threads = router.threads();
      send(conversation, MESSAGES, other);
      long after = router.liveBytes();
      System.out.printf(
          "%d messages of seed %d; heap of the router %d kB half-way, %d kB now; threads %d, %d;"
              + " %d transactions beside%n",
          conversation.messages(),
          SEED,
          bytes >> 10,
          after >> 10,
          threads,
          router.threads(),
          other.transactions());
      assertTrue(after < bytes + GROWTH_MAX, () -> bytes + " bytes, then " + after);
      assertTrue(router.threads() <= threads + MORE_THREADS_MAX, () -> threads + " threads before");
    }
    assertNothingStays();
    assertNoFault();
  }

  private static void send(FuzzedConversation conversation, int until, UndisturbedSession other)
      throws Exception {
    while (conversation.messages() < until) {
      conversation.hold(GROUPS);
      other.goOn();
    }
  }

  /** The driver's sessions have no socket, and work in the thread of the client. */
  @Test
  void clientsOfTheDriverMaySendAnything() throws Exception {
    SessionSockets sockets = new SessionSockets(cluster);
    FuzzedConversation conversation = new FuzzedConversation(() -> wire(sockets), false, SEED + 1);
    try (UndisturbedSession other = new UndisturbedSession(router)) {
      send(conversation, MESSAGES / 4, other);
    }
    assertTrue(sockets.bufferBytes() < KEPT_MAX, () -> sockets.bufferBytes() + " bytes kept");
    assertNothingStays();
  }

  private static WireClient wire(SessionSockets sockets) throws IOException {
    return WireClient.connect(
        sockets.open(), Binding.NONE, LocalNode.USER, LocalNode.USER, LocalNode.DATABASE);
  }

  @Test
  void strangersOfTheDriverMaySendAnything() throws Exception {
    SessionSockets sockets = new SessionSockets(cluster);
    Fuzz fuzz = new Fuzz(SEED + 2);
    for (int i = 0; i < MESSAGES / 100; i++) {
      try (Socket socket = sockets.open()) {
        socket.getOutputStream().write(fuzz.startup());
        while (socket.getInputStream().read() >= 0) {
          continue;
        }
      } catch (SocketTimeoutException e) {
        assertTrue(e.getMessage().contains("no answer is due"), e::toString);
      }
    }
    wire(sockets).close();
  }

  @Test
  void strangersMaySendAnything() throws Exception {
    Fuzz fuzz = new Fuzz(SEED + 3);
    for (int i = 0; i < MESSAGES / 100; i++) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), router.port())) {
        socket.setSoTimeout(30_000);
        socket.getOutputStream().write(fuzz.startup());
        socket.shutdownOutput();
        drain(socket, "start-up " + i);
      }
    }
    ParityFixture.wire(router.port()).close();
    assertNoFault();
  }

  private static void drain(Socket socket, String where) {
    try {
      while (socket.getInputStream().read() >= 0) {
        continue;
      }
    } catch (SocketTimeoutException e) {
      fail("the connection stays open after " + where + " of seed " + (SEED + 3), e);
    } catch (IOException ended) {
      assertTrue(socket.isConnected());
    }
  }

  /** However slowly: nothing, a byte now and then, or all but the proof. */
  @Test
  void whoDoesNotProveWhoHeIsHasLimitedTime() throws Exception {
    byte[] startup = {0, 0, 0, 17, 0, 3, 0, 0, 'u', 's', 'e', 'r', 0, 'a', 'p', 'p', 0};
    byte[] sslRequest = {0, 0, 0, 8, 4, (byte) 210, 22, 47};
    try (RouterServer strict = RouterServer.start(cluster, "--authentication-timeout", "500")) {
      for (byte[] sent : new byte[][] {{}, {0}, sslRequest, startup}) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), strict.port())) {
          socket.setSoTimeout(30_000);
          socket.getOutputStream().write(sent);
          drain(socket, "half a start");
        }
      }
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), strict.port())) {
        IOException ended = null;
        for (int i = 0; i < 1000 && ended == null; i++) {
          try {
            socket.getOutputStream().write(i == 2 ? 1 : 0);
            Thread.sleep(20);
          } catch (IOException e) {
            ended = e;
          }
        }
        assertTrue(ended != null, "bytes were taken for as long as they came");
      }
    }
  }

  /** More than the router has memory for; a session that is refused some goes on. */
  @ParameterizedTest
  @ValueSource(strings = {"many", "named", "savepoint"})
  void textsThatAreKeptAreBounded(String kind) throws Exception {
    String padding = "/* " + "x".repeat(kind.equals("many") ? 60_000 : 1 << 20) + " */";
    int refused = 0;
    try (UndisturbedSession other = new UndisturbedSession(router);
        WireClient client = ParityFixture.wire(router.port())) {
      client.query("BEGIN").untilReady();
      int count = kind.equals("many") ? SHORT_TEXTS : LONG_TEXTS_MAX;
      for (int i = 0; i < count && refused < REFUSALS; i++) {
        switch (kind) {
          case "many" -> client.parse("", "SELECT " + i + padding).sync();
          case "named" -> client.parse("n" + i, "SELECT " + i + padding).sync();
          default -> client.query("SAVEPOINT s" + i + padding);
        }
        Message first = client.untilReady().get(0);
        refused += first.type() == 'E' ? 1 : 0;
        if (refused == 1 && first.type() == 'E') {
          assertTrue(first.toString().contains("53200"), first::toString);
        }
      }
      other.goOn();
      assertEquals(kind.equals("many"), refused == 0);
    }
    assertTrue(router.liveBytes() < GROWTH_MAX * 2, "what sessions kept goes with them");
    assertNoFault();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSessionWhoseSettingsAreTooLongEnds(boolean inTransaction) throws Exception {
    String value = "x".repeat(1 << 20);
    StringBuilder commands = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      commands.append("SET x.y").append(i).append(" = '").append(value).append("';");
    }
    try (UndisturbedSession other = new UndisturbedSession(router)) {
      for (int session = 0; session < LONG_SESSIONS; session++) {
        try (WireClient client = ParityFixture.wire(router.port())) {
          String sql = inTransaction ? "BEGIN;" + commands + "COMMIT" : commands.toString();
          Message last = endOf(client.query(sql));
          if (last.type() == 'Z') { // What a transaction has set is known when it has ended.
            last = endOf(client.query("SELECT 1"));
          }
          assertTrue(last.toString().contains("53400"), last.toString());
          assertThrows(IOException.class, client::read);
        }
      }
      other.goOn();
    }
    assertTrue(router.liveBytes() < GROWTH_MAX, "what sessions have set goes with them");
    assertNoFault();
  }

  private static Message endOf(WireClient client) throws IOException {
    Message last = client.flush().read();
    while (last.type() != 'E' && last.type() != 'Z') {
      last = client.read();
    }
    return last;
  }

  /** Libraries give each savepoint a name of its own. */
  @Test
  void savepointsOfManyNamesAreNotKeptByNodes() throws Exception {
    int count = 1500;
    for (LocalNode node : cluster.nodes()) {
      try (Connection connection = node.connectAsSuperuser();
          Statement statement = connection.createStatement()) {
        statement.execute(PREPARED_HERE);
      }
    }
    try (WireClient client = ParityFixture.wire(router.port())) {
      client.query("BEGIN").query("SELECT n FROM undisturbed WHERE id = 1").groups(2);
      for (int i = 0; i < count; i++) {
        client.query("SAVEPOINT s" + i).query("RELEASE s" + i).groups(2);
      }
      client.query("SELECT count(*) FROM prepared_here()");
      String kept = client.until('D').toString();
      client.untilReady();
      client.query("SELECT count(*) < 1100 FROM prepared_here()");
      byte[] row = client.until('D').body();
      assertEquals('t', row[row.length - 1], () -> "at last " + kept);
      client.untilReady();
    }
  }

  private void assertNoFault() {
    boolean faults =
        Stream.of("ended by a fault", "OutOfMemoryError", "a step of session")
            .anyMatch(router.log()::contains);
    assertFalse(faults, () -> "seed " + SEED + router.log());
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
        assertEquals(0, left, "seed " + SEED);
      }
    }
  }

  private static long number(Statement statement, String sql) throws Exception {
    try (ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    }
  }
}
