package org.abelian.cluster.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.abelian.cluster.ClientProgram;
import org.abelian.cluster.ClientProgram.Result;
import org.abelian.harness.CertificateAuthority;
import org.abelian.harness.CertificateAuthority.Issued;
import org.abelian.harness.LocalNode;
import org.abelian.router.pool.IoContext;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeConnector;
import org.abelian.router.pool.NodeIdentity;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.protocol.ScramSecret;
import org.abelian.router.tls.NodeTls;
import org.abelian.router.tls.NodeTlsSettings;
import org.abelian.router.tls.NodeTlsSettings.Dialect;
import org.abelian.router.tls.SslMode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every sslmode against every kind of node, as libpq would have it: psql is asked what it makes of
 * the same node.
 */
class NodeSslModeIT {
  private static final String ANY = "host all all 127.0.0.1/32 scram-sha-256\n";

  /** What psql does where a plain connection would do, and the node's certificate is no good. */
  private static final String PLAIN_INSTEAD = "plain";

  @TempDir static Path folder;

  private static TlsNode node;
  private static CertificateAuthority authority;
  private static Issued good;

  @BeforeAll
  static void createNode() throws Exception {
    authority = CertificateAuthority.create(folder, "authority");
    good = authority.issue("good", "node", "IP:127.0.0.1", "DNS:localhost");
    node = TlsCluster.shared().spare;
    node.certificate(good).rules(ANY).reload("ssl = on");
  }

  private static String row(String state, String... options) throws Exception {
    Map<String, String> more = new LinkedHashMap<>();
    for (String option : options) {
      more.put(option.substring(0, option.indexOf('=')), option.substring(option.indexOf('=') + 1));
    }
    StringBuilder row = new StringBuilder(state + ":");
    for (SslMode mode : SslMode.values()) {
      String ours = connect(mode, more);
      String theirs = psql(mode, more);
      assertTrue(
          ours.equals(theirs) || ours.equals("tls") && theirs.equals(PLAIN_INSTEAD),
          state + " " + mode + ": " + ours + ", but psql: " + theirs);
      if (mode.requiresEncryption()) {
        assertEquals(ours, pgjdbc(mode, more), state + " " + mode + " by pgjdbc");
      }
      row.append(' ').append(ours);
    }
    return row.toString();
  }

  private static NodeTls tls(SslMode mode, Map<String, String> options) {
    NodeTlsSettings.Builder settings = new NodeTlsSettings.Builder(Dialect.LIBPQ);
    settings.set("sslmode", mode.toString());
    settings.set("sslrootcert", authority.certificate().toString());
    options.forEach(settings::set);
    return new NodeTls(settings.build());
  }

  private static String connect(SslMode mode, Map<String, String> options) {
    try (NodeTls tls = tls(mode, options)) {
      return connect(new NodeAddress("127.0.0.1", node.node().port()), tls);
    }
  }

  private static String connect(NodeAddress address, NodeTls tls) {
    NodeIdentity identity =
        new NodeIdentity(
            Map.of("user", LocalNode.USER, "database", LocalNode.DATABASE),
            new ScramSecret.Password(LocalNode.USER));
    try {
      NodeConnection connection =
          NodeConnector.open(address, identity, IoContext.of(MemoryBudget.unlimited(), tls));
      connection.close();
      return connection.isEncrypted() ? "tls" : "plain";
    } catch (IOException e) {
      return "-";
    }
  }

  /** How the router's control connections do. */
  private static String pgjdbc(SslMode mode, Map<String, String> options) {
    try (NodeTls tls = tls(mode, options)) {
      Properties properties = new Properties();
      properties.setProperty("user", LocalNode.USER);
      properties.setProperty("password", LocalNode.USER);
      properties.putAll(tls.pgjdbcProperties());
      try (Connection connection = DriverManager.getConnection(node.node().jdbcUrl(), properties);
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")) {
        row.next();
        return row.getBoolean(1) ? "tls" : "plain";
      } catch (SQLException e) {
        return "-";
      }
    }
  }

  private static String psql(SslMode mode, Map<String, String> options) throws Exception {
    Map<String, String> environment = new HashMap<>();
    environment.put("PGHOST", "127.0.0.1");
    environment.put("PGPORT", "" + node.node().port());
    environment.put("PGUSER", LocalNode.USER);
    environment.put("PGPASSWORD", LocalNode.USER);
    environment.put("PGSSLMODE", mode.toString());
    environment.put("PGSSLROOTCERT", authority.certificate().toString());
    options.forEach((name, value) -> environment.put("PG" + name.toUpperCase(), value));
    Result result =
        ClientProgram.psql(environment, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
    if (result.exit() != 0) {
      return "-";
    }
    return result.output().strip().equals("t") ? "tls" : "plain";
  }

  @Test
  void aGoodCertificateSatisfiesEveryMode() throws Exception {
    node.certificate(good).rules(ANY).reload();
    assertEquals("good: plain plain tls tls tls tls", row("good"));
  }

  @Test
  void aNodeWithoutTlsIsForThoseThatDoNotInsist() throws Exception {
    node.certificate(good).rules(ANY).reload("ssl = off");
    try {
      assertEquals("off: plain plain plain - - -", row("off"));
    } finally {
      node.reload("ssl = on");
    }
  }

  @Test
  void aCertificateOfAnotherHostIsNoticedByVerifyFullAlone() throws Exception {
    Issued other = authority.issue("other-host", "node", "DNS:elsewhere.example.org");
    node.certificate(other).rules(ANY).reload();
    assertEquals("other host: plain plain tls tls tls -", row("other host"));
  }

  @Test
  void anExpiredCertificateIsRefusedWhereItIsVerified() throws Exception {
    node.certificate(authority.issueExpired("expired", "node", "IP:127.0.0.1")).rules(ANY).reload();
    assertEquals("expired: plain plain tls - - -", row("expired"));
    assertEquals(
        "expired, no root: plain plain tls tls - -",
        row("expired, no root", "sslrootcert=" + folder.resolve("absent")));
  }

  @Test
  void aCertificateOfAStrangerIsRefusedWhereItIsVerified() throws Exception {
    CertificateAuthority stranger = CertificateAuthority.create(folder, "stranger");
    node.certificate(stranger.issue("node", "node", "IP:127.0.0.1")).rules(ANY).reload();
    assertEquals("stranger: plain plain tls - - -", row("stranger"));
    assertEquals(
        "stranger, no root: plain plain tls tls - -",
        row("stranger, no root", "sslrootcert=" + folder.resolve("absent")));
  }

  @Test
  void aRevokedCertificateIsRefusedWhereTheListIsKnown() throws Exception {
    Issued revoked = authority.issue("revoked", "node", "IP:127.0.0.1");
    node.certificate(revoked).rules(ANY).reload();
    authority.revoke(revoked);
    assertEquals("no list: plain plain tls tls tls tls", row("no list"));
    String list = "sslcrl=" + authority.revocations();
    assertEquals("revoked: plain plain tls - - -", row("revoked", list));
    node.certificate(good).reload();
    assertEquals("not revoked: plain plain tls tls tls tls", row("not revoked", list));
  }

  /** PostgreSQL 15 has no direct handshakes, but our server has; it is a node like any other. */
  @Test
  void theHandshakeMayComeFirst() throws Exception {
    TlsCluster cluster = TlsCluster.shared();
    NodeAddress server = new NodeAddress(TlsCluster.HOST, cluster.router.port());
    Map<String, String> direct =
        Map.of(
            "sslrootcert",
            cluster.authority.certificate().toString(),
            "sslnegotiation",
            "direct",
            "channel_binding",
            "require");
    try (NodeTls tls = tls(SslMode.VERIFY_FULL, direct)) {
      assertEquals("tls", connect(server, tls));
      NodeAddress old = new NodeAddress("127.0.0.1", node.node().port());
      assertEquals("-", connect(old, tls));
    }
  }

  @Test
  void newFilesHoldFromTheNextConnectionOn() throws Exception {
    node.certificate(good).rules(ANY).reload();
    Path root = Files.copy(authority.certificate(), folder.resolve("changing-root.crt"));
    CertificateAuthority stranger = CertificateAuthority.create(folder, "changing");
    NodeAddress address = new NodeAddress("127.0.0.1", node.node().port());
    try (NodeTls tls = tls(SslMode.VERIFY_FULL, Map.of("sslrootcert", root.toString()))) {
      assertEquals("tls", connect(address, tls));
      Files.copy(stranger.certificate(), root, StandardCopyOption.REPLACE_EXISTING);
      assertEquals("-", connect(address, tls));
      Files.writeString(root, "no certificate");
      assertEquals("-", connect(address, tls), "what was trusted before is still all there is");
      Files.copy(authority.certificate(), root, StandardCopyOption.REPLACE_EXISTING);
      assertEquals("tls", connect(address, tls));
    }
  }

  @Test
  void aNodeThatRefusesPlainConnectionsGetsWhatItWants() throws Exception {
    node.certificate(good).rules(ANY.replace("host ", "hostssl ")).reload();
    assertEquals("hostssl: - tls tls tls tls tls", row("hostssl"));
  }

  @Test
  void aNodeThatRefusesEncryptedConnectionsGetsWhatItWants() throws Exception {
    node.certificate(good).rules(ANY.replace("host ", "hostnossl ")).reload();
    assertEquals("hostnossl: plain plain plain - - -", row("hostnossl"));
  }
}
