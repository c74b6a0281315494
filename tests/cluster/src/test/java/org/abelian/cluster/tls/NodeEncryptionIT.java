package org.abelian.cluster.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.abelian.cluster.ClientProgram.Result;
import org.abelian.cluster.wire.Binding;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.CertificateAuthority;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WireTap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Nothing that the router tells a node can be read on the way, and every node is who it must be.
 */
@Timeout(120) // a hang is a failure, not a wait
class NodeEncryptionIT {
  private static final String SLEEP = "SELECT pg_sleep(50) FROM item WHERE id = 1";

  private static TlsCluster tls;

  /** Connections to each node before the test. */
  private List<Integer> before;

  @BeforeAll
  static void start() throws Exception {
    tls = TlsCluster.shared();
  }

  @BeforeEach
  void countConnections() {
    before = tls.taps.stream().map(tap -> tap.recordings().size()).toList();
  }

  /** Whatever a test has done. */
  @AfterEach
  void everyConnectionToANodeIsEncrypted() {
    for (int i = 0; i < before.size(); i++) {
      List<WireTap.Recording> recordings = tls.taps.get(i).recordings();
      for (WireTap.Recording recording : recordings.subList(before.get(i), recordings.size())) {
        assertTrue(recording.isEncrypted(), recording.toString());
      }
    }
  }

  private void assertSomethingWasConnected() {
    int now = tls.taps.stream().mapToInt(tap -> tap.recordings().size()).sum();
    assertTrue(now > before.stream().mapToInt(Integer::intValue).sum());
  }

  @Test
  void statementsOverSeveralNodesAndControlConnectionsAreEncrypted() throws Exception {
    Result result =
        tls.psql(
            Map.of(),
            "BEGIN; UPDATE item SET n = n + 1 WHERE id IN (1, 2, 3, 4); COMMIT; SELECT"
                + " count(*) FROM item");
    assertEquals(0, result.exit(), result.output());
    for (TlsNode node : tls.nodes) {
      assertEquals(0, unencrypted(node.node(), "app"));
      assertEquals(0, unencrypted(node.node(), "router"));
    }
  }

  private static long unencrypted(LocalNode node, String user) throws SQLException {
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FILTER (WHERE NOT ssl), count(*) FROM pg_stat_ssl JOIN"
                    + " pg_stat_activity USING (pid) WHERE usename = '"
                    + user
                    + "'")) {
      row.next();
      assertTrue(row.getInt(2) > 0, user + " is connected");
      return row.getLong(1);
    }
  }

  @Test
  void aCancelRequestIsEncryptedInBothDirections() throws Exception {
    try (WireClient client = encryptedClient()) {
      client.query(SLEEP).flush();
      awaitSleepers(1);
      client.cancel(TlsSockets.negotiated(tls.router.port()));
      List<Message> answer = client.untilReady();
      assertEquals("57014", error(answer).sqlState());
      awaitSleepers(0);
      assertSomethingWasConnected(); // By the cancel request, at least.
    }
  }

  @Test
  void psqlsOwnCancelRequestIsInTheClearAndWorksAsWell() throws Exception {
    try (WireClient client = encryptedClient()) {
      client.query(SLEEP).flush();
      awaitSleepers(1);
      client.cancel();
      assertEquals("57014", error(client.untilReady()).sqlState());
    }
  }

  /** Neither the client nor the nodes take more while nobody reads what they say. */
  @Test
  void largePipelinesGetOnInBothDirections() throws Exception {
    int statements = 128;
    String text = "x".repeat(100_000);
    try (WireClient client = encryptedClient()) {
      CompletableFuture<Void> sending =
          CompletableFuture.runAsync(
              () -> {
                try {
                  client.parse("s", "SELECT $1::text FROM item WHERE id = 1");
                  for (int i = 0; i < statements; i++) {
                    client.bind("", "s", 0, text).execute("", 0);
                  }
                  client.sync().flush();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      List<Message> answer = client.untilReady();
      sending.join();
      List<String> values =
          answer.stream().filter(m -> m.type() == 'D').map(m -> m.values()[0]).toList();
      assertEquals(statements, values.size());
      assertTrue(values.stream().allMatch(text::equals));
    }
  }

  @Test
  void theStatementOfAClientThatIsGoneEnds() throws Exception {
    try (WireClient client = encryptedClient()) {
      client.query(SLEEP).flush();
      awaitSleepers(1);
    }
    awaitSleepers(0);
  }

  private static WireClient encryptedClient() throws IOException {
    return WireClient.connect(
        TlsSockets.negotiated(tls.router.port()),
        Binding.NONE,
        LocalNode.USER,
        LocalNode.USER,
        LocalNode.DATABASE);
  }

  private static Message error(List<Message> answer) {
    return answer.stream().filter(message -> message.type() == 'E').findFirst().orElseThrow();
  }

  /** Bounded; what fails afterwards says what was never reached. */
  private static void awaitSleepers(int wanted) throws Exception {
    for (int i = 0; i < 1000 && sleepers() != wanted; i++) {
      Thread.sleep(20);
    }
    assertEquals(wanted, sleepers());
  }

  private static int sleepers() throws SQLException {
    int count = 0;
    for (TlsNode node : tls.nodes) {
      try (Connection connection = node.node().connectAsSuperuser();
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")) {
        row.next();
        count += row.getInt(1);
      }
    }
    return count;
  }

  /**
   * Everything about nodes from places other than the command line, and channel binding with them:
   * for the router's own role, and for clients, of whom the router has only what SCRAM reveals.
   */
  @Test
  void servicesVariablesAndPasswordFilesSayTheSame() throws Exception {
    Path service = tls.folder.resolve("service.conf");
    Files.writeString(
        service,
        "[other]\nhost=nowhere\n[cluster]\n"
            + tls.nodes("sslmode=verify-full").replace(' ', '\n')
            + "\nchannel_binding=require\n");
    Path passwords = tls.folder.resolve("passwords");
    Files.writeString(
        passwords,
        "127.0.0.1:1:*:*:wrong\n127.0.0.1:"
            + tls.taps.get(0).port()
            + ":abelian:router:router\n*:"
            + tls.taps.get(1).port()
            + ":*:*:router\n");
    CertificateAuthority.makePrivate(passwords);
    Map<String, String> environment =
        Map.of(
            "PGSERVICE",
            "cluster",
            "PGSERVICEFILE",
            service.toString(),
            "PGPASSFILE",
            passwords.toString(),
            "PGUSER",
            "router",
            "PGSSLMODE",
            "disable", // The service counts more.
            "PGSSLROOTCERT",
            tls.authority.certificate().toString());
    try (RouterServer router = RouterServer.start(environment, List.of());
        Connection connection = router.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM item")) {
      row.next();
      assertEquals(20, row.getInt(1));
    }
  }
}
