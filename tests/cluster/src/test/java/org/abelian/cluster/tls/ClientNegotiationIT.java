package org.abelian.cluster.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.abelian.cluster.ClientProgram.Result;
import org.abelian.cluster.wire.Binding;
import org.abelian.cluster.wire.WireClient;
import org.abelian.cluster.wire.WireException;
import org.abelian.harness.CertificateAuthority;
import org.abelian.harness.LocalNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** How clients begin to encrypt, by libpq, pgjdbc and their own hands. */
class ClientNegotiationIT {
  private static final String QUERY = "SELECT count(*) FROM item";

  private static TlsCluster tls;

  @BeforeAll
  static void start() throws Exception {
    tls = TlsCluster.shared();
  }

  private static void assertIn(Result result) {
    assertEquals(new Result(0, "20\n"), result);
  }

  private static void assertRefused(Result result, String reason) {
    assertEquals(2, result.exit(), result.output());
    assertTrue(result.output().contains(reason), result.output());
  }

  @ParameterizedTest
  @ValueSource(strings = {"prefer", "require", "verify-ca", "verify-full"})
  void psqlEncryptsInEveryModeThatCan(String mode) throws Exception {
    assertIn(tls.psql(Map.of("PGSSLMODE", mode), QUERY));
  }

  @Test
  void psqlSeesThroughACertificateForAnotherName() throws Exception {
    Map<String, String> other = Map.of("PGHOST", "127.0.0.1");
    assertRefused(tls.psql(other, QUERY), "does not match host name \"127.0.0.1\"");
  }

  @Test
  void psqlSeesThroughACertificateOfAStranger(@TempDir Path folder) throws Exception {
    CertificateAuthority stranger = CertificateAuthority.create(folder, "stranger");
    Map<String, String> trust = Map.of("PGSSLROOTCERT", stranger.certificate().toString());
    assertRefused(tls.psql(trust, QUERY), "certificate verify failed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"disable", "allow"})
  void aPlainConnectionIsRefusedWhereTheRuleSaysHostssl(String mode) throws Exception {
    Result result = tls.psql(Map.of("PGSSLMODE", mode), QUERY);
    String reason =
        "no pg_hba.conf entry for host \"127.0.0.1\", user \"app\", database \"abelian\", no"
            + " encryption";
    if (mode.equals("disable")) {
      assertRefused(result, reason);
    } else {
      assertIn(result); // libpq tries again, encrypted.
    }
  }

  @Test
  void aPlainConnectionIsLetInWhereTheRuleSaysHost() throws Exception {
    assertIn(tls.psql(Map.of("PGUSER", "plain", "PGSSLMODE", "disable"), QUERY));
    assertIn(tls.psql(Map.of("PGUSER", "plain"), QUERY));
  }

  @Test
  void aRuleMayReject() throws Exception {
    assertRefused(tls.psql(Map.of("PGUSER", "rejected"), QUERY), "pg_hba.conf rejects connection");
  }

  private static Connection pgjdbc(String... properties) throws SQLException {
    Properties all = new Properties();
    all.setProperty("user", LocalNode.USER);
    all.setProperty("password", LocalNode.USER);
    all.setProperty("sslrootcert", tls.authority.certificate().toString());
    for (int i = 0; i < properties.length; i += 2) {
      all.setProperty(properties[i], properties[i + 1]);
    }
    String url = "jdbc:postgresql://" + TlsCluster.HOST + ":" + tls.router.port() + "/abelian";
    return DriverManager.getConnection(url, all);
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgres", "direct"})
  void pgjdbcEncryptsInBothWays(String negotiation) throws SQLException {
    try (Connection connection =
            pgjdbc(
                "sslmode",
                "verify-full",
                "sslNegotiation",
                negotiation,
                "channelBinding",
                "require");
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(QUERY)) {
      row.next();
      assertEquals(20, row.getInt(1));
    }
  }

  @Test
  void largeMessagesPassInBothDirections() throws SQLException {
    String text = "x".repeat(3_000_000);
    try (Connection connection = pgjdbc("sslmode", "require");
        var statement = connection.prepareStatement("SELECT ? || ''")) {
      statement.setString(1, text);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        assertEquals(text, row.getString(1));
      }
    }
  }

  /** The router writes them from another thread than the one that reads what the client sends. */
  @Test
  void notificationsPassBesideStatements() throws Exception {
    int count = 500;
    try (Connection listener = pgjdbc("sslmode", "require");
        Connection sender = pgjdbc("sslmode", "require");
        Statement listens = listener.createStatement();
        Statement sends = sender.createStatement()) {
      listens.execute("LISTEN news");
      Thread sending =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < count; i++) {
                    sends.execute("NOTIFY news, '" + i + "'");
                  }
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      sending.start();
      PGConnection told = listener.unwrap(PGConnection.class);
      int next = 0;
      while (next < count) {
        if (next < count / 2) {
          listens.execute("SELECT repeat('x', 10000)");
        }
        for (PGNotification each : told.getNotifications(next < count / 2 ? 1 : 30_000)) {
          assertEquals(Integer.toString(next++), each.getParameter());
        }
      }
      sending.join();
    }
  }

  private static WireClient wire(Socket socket) throws IOException {
    return WireClient.connect(
        socket, Binding.NONE, LocalNode.USER, LocalNode.USER, LocalNode.DATABASE);
  }

  @Test
  void tlsMayBeginAtOnceForThoseWhoNameTheProtocol() throws IOException {
    try (WireClient client = wire(TlsSockets.direct(tls.router.port(), "h2", "postgresql"))) {
      assertEquals("20", client.query(QUERY).untilReady().get(1).values()[0]);
    }
  }

  @Test
  void anotherProtocolIsRefusedInTheHandshake() {
    SSLException refused =
        assertThrows(
            SSLException.class, () -> TlsSockets.direct(tls.router.port(), "h2", "http/1.1"));
    assertTrue(refused.getMessage().contains("no_application_protocol"), refused.getMessage());
  }

  @Test
  void noProtocolIsRefusedAfterADirectHandshakeAlone() throws IOException {
    try (SSLSocket socket = TlsSockets.direct(tls.router.port())) {
      assertEquals(-1, socket.getInputStream().read());
    }
    wire(TlsSockets.negotiated(tls.router.port())).close();
  }

  @Test
  void requestsForEncryptionAreAnsweredOnceEach() throws IOException {
    try (Socket socket = TlsSockets.plain(tls.router.port())) {
      assertEquals('N', TlsSockets.ask(socket, TlsSockets.GSS_REQUEST));
      assertEquals('S', TlsSockets.ask(socket, TlsSockets.SSL_REQUEST));
      SSLSocket encrypted = TlsSockets.handshake(socket, new String[0]);
      assertEquals('E', TlsSockets.ask(encrypted, TlsSockets.SSL_REQUEST));
    }
    try (Socket socket = TlsSockets.plain(tls.router.port())) {
      assertEquals('N', TlsSockets.ask(socket, TlsSockets.GSS_REQUEST));
      assertEquals('E', TlsSockets.ask(socket, TlsSockets.GSS_REQUEST));
    }
  }

  /** CVE-2021-23214: what a man in the middle sends ahead must not become a part of the session. */
  @ParameterizedTest
  @ValueSource(ints = {TlsSockets.SSL_REQUEST, TlsSockets.GSS_REQUEST})
  void whatWasSentBeforeTheHandshakeIsRefused(int request) throws IOException {
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.writeBytes(TlsSockets.request(request));
    both.writeBytes("Q\0\0\0\rSELECT 1\0".getBytes(StandardCharsets.US_ASCII));
    try (Socket socket = TlsSockets.plain(tls.router.port())) {
      socket.getOutputStream().write(both.toByteArray());
      byte[] answer = socket.getInputStream().readAllBytes();
      String text = new String(answer, StandardCharsets.UTF_8);
      assertEquals('E', answer[0], text);
      assertTrue(text.contains("received unencrypted data after"), text);
      assertTrue(text.contains("08P01"), text);
    }
  }

  @Test
  void whatIsNoHandshakeAfterTheAnswerIsRefused() throws IOException {
    try (Socket socket = TlsSockets.plain(tls.router.port())) {
      assertEquals('S', TlsSockets.ask(socket, TlsSockets.SSL_REQUEST));
      socket.getOutputStream().write("Q\0\0\0\rSELECT 1\0".getBytes(StandardCharsets.US_ASCII));
      byte[] answer = socket.getInputStream().readAllBytes();
      assertTrue(answer.length == 0 || answer[0] == 0x15, "nothing, or an alert");
    }
  }

  @Test
  void oldVersionsAreRefused() throws IOException {
    try (Socket socket = TlsSockets.plain(tls.router.port())) {
      assertEquals('S', TlsSockets.ask(socket, TlsSockets.SSL_REQUEST));
      // The JDK as a client has no old versions any more, so here is the beginning of a hello.
      socket.getOutputStream().write(new byte[] {0x16, 3, 1, 0, 45, 1, 0, 0, 41, 3, 1});
      socket.getOutputStream().write(new byte[32]);
      socket.getOutputStream().write(new byte[] {0, 0, 2, 0, 0x2f, 1, 0});
      byte[] alert = socket.getInputStream().readNBytes(7);
      assertEquals(0x15, alert[0]);
      assertEquals(70, alert[6], "protocol_version");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void currentVersionsAreThere(String version) throws IOException {
    SSLSocket encrypted = established(version);
    try (WireClient client = wire(encrypted)) {
      assertEquals(version, encrypted.getSession().getProtocol());
      assertEquals("20", client.query(QUERY).untilReady().get(1).values()[0]);
    }
  }

  private static SSLSocket established(String version) throws IOException {
    Socket socket = TlsSockets.plain(tls.router.port());
    assertEquals('S', TlsSockets.ask(socket, TlsSockets.SSL_REQUEST));
    return TlsSockets.handshake(socket, new String[0], version);
  }

  /** In TLS 1.3, the JDK changes keys when it is told to begin a handshake once more. */
  @Test
  void keysMayChangeInTheMiddle() throws IOException {
    SSLSocket socket = established("TLSv1.3");
    try (WireClient client = wire(socket)) {
      for (int i = 0; i < 3; i++) {
        socket.startHandshake();
        assertEquals("20", client.query(QUERY).untilReady().get(1).values()[0]);
      }
    }
  }

  @Test
  void renegotiationIsRefused() throws Exception {
    SSLSocket socket = established("TLSv1.2");
    try (WireClient client = wire(socket)) {
      assertThrows(
          IOException.class,
          () -> {
            socket.startHandshake();
            client.query(QUERY).untilReady();
          });
    }
    for (int i = 0; i < 1000 && !tls.router.log().contains("renegotiation is not allowed"); i++) {
      Thread.sleep(10);
    }
    assertTrue(tls.router.log().contains("renegotiation is not allowed"), tls.router.log());
  }

  @Test
  void aWrongPasswordIsRefusedAsEver() {
    WireException refused =
        assertThrows(
            WireException.class,
            () ->
                WireClient.connect(
                    TlsSockets.negotiated(tls.router.port()),
                    Binding.NONE,
                    LocalNode.USER,
                    "wrong",
                    LocalNode.DATABASE));
    assertEquals("28P01", refused.error().sqlState());
  }
}
