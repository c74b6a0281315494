package org.abelian.cluster.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.abelian.harness.CertificateAuthority;
import org.abelian.harness.CertificateAuthority.Issued;
import org.abelian.harness.LocalNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The driver encrypts its connections to nodes as pgjdbc's properties say. */
@Timeout(120) // a hang is a failure, not a wait
class DriverTlsIT {
  private static TlsCluster tls;

  @TempDir Path folder;

  @BeforeAll
  static void start() throws Exception {
    tls = TlsCluster.shared();
  }

  private static Connection connect(String user, String... properties) throws SQLException {
    Properties all = new Properties();
    all.setProperty("user", user);
    for (int i = 0; i < properties.length; i += 2) {
      all.setProperty(properties[i], properties[i + 1]);
    }
    return DriverManager.getConnection(tls.cluster.driverUrl(), all);
  }

  private static void assertIn(String user, String... properties) throws SQLException {
    try (Connection connection = connect(user, properties);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM item")) {
      row.next();
      assertEquals(20, row.getInt(1));
    }
  }

  private static void assertRefused(String reason, String user, String... properties) {
    SQLException refused = assertThrows(SQLException.class, () -> connect(user, properties));
    assertTrue(refused.getMessage().contains(reason), refused.getMessage());
  }

  private String authority() {
    return tls.authority.certificate().toString();
  }

  @Test
  void preferIsTheDefaultAsInPgjdbc() throws SQLException {
    // The nodes refuse plain connections of this role.
    assertIn("app", "password", "app");
  }

  @Test
  void disableMeansPlain() {
    assertRefused("no encryption", "app", "password", "app", "sslmode", "disable");
  }

  @Test
  void theStrictestModeWithChannelBinding() throws SQLException {
    assertIn(
        "app",
        "password",
        "app",
        "sslmode",
        "verify-full",
        "sslrootcert",
        authority(),
        "channelBinding",
        "require");
    assertIn("app", "password", "app", "ssl", "true", "sslrootcert", authority());
  }

  @Test
  void aNodeOfAStrangerIsRefused() {
    CertificateAuthority stranger = CertificateAuthority.create(folder, "stranger");
    String root = stranger.certificate().toString();
    for (String mode : new String[] {"verify-ca", "verify-full"}) {
      assertRefused("SSL error", "app", "password", "app", "sslmode", mode, "sslrootcert", root);
    }
  }

  @Test
  void requireAloneVerifiesNothingAsInPgjdbc() throws SQLException {
    CertificateAuthority stranger = CertificateAuthority.create(folder, "stranger");
    String root = stranger.certificate().toString();
    assertIn("app", "password", "app", "sslmode", "require", "sslrootcert", root);
  }

  @Test
  void anApplicationWithACertificateNeedsNoPassword() throws SQLException {
    Path der = folder.resolve("application.pk8");
    Issued key = tls.routerKey;
    tls.authority.openssl(
        "pkcs8",
        "-topk8",
        "-outform",
        "DER",
        "-in",
        key.key().toString(),
        "-out",
        der.toString(),
        "-passout",
        "pass:secret");
    assertIn(
        "certonly",
        "sslmode",
        "verify-full",
        "sslrootcert",
        authority(),
        "sslcert",
        key.certificate().toString(),
        "sslkey",
        der.toString(),
        "sslpassword",
        "secret");
    String reason = "connection requires a valid client certificate";
    assertRefused(reason, "certonly", "sslmode", "require", "sslcert", "", "sslkey", "");
  }

  @Test
  void anArchiveHoldsBothAsInPgjdbc() throws SQLException {
    Path archive = folder.resolve("application.p12");
    tls.authority.openssl(
        "pkcs12",
        "-export",
        "-in",
        tls.routerKey.certificate().toString(),
        "-inkey",
        tls.routerKey.key().toString(),
        "-out",
        archive.toString(),
        "-passout",
        "pass:secret");
    assertIn(
        "certonly", "sslmode", "require", "sslkey", archive.toString(), "sslpassword", "secret");
  }

  @Test
  void aFactoryOfTheApplicationTakesThePlaceOfFiles() throws Exception {
    assertIn(
        "app",
        "password",
        "app",
        "sslmode",
        "require",
        "sslfactory",
        "org.postgresql.ssl.NonValidatingFactory");
    assertRefused(
        "SSL error",
        "app",
        "password",
        "app",
        "sslmode",
        "require",
        "sslfactory",
        "org.postgresql.ssl.SingleCertValidatingFactory",
        "sslfactoryarg",
        stranger());
    assertRefused("no.such.Class", "app", "password", "app", "sslfactory", "no.such.Class");
  }

  private String stranger() throws Exception {
    return Files.readString(CertificateAuthority.create(folder, "stranger").certificate());
  }

  @Test
  void contradictionsAreRefusedAtOnce() {
    assertRefused("invalid sslmode value", "app", "password", "app", "sslmode", "sometimes");
    assertRefused(
        "may not be used with sslnegotiation=direct",
        "app",
        "password",
        "app",
        "sslNegotiation",
        "direct");
    assertRefused("gssEncMode=require", "app", "password", "app", "gssEncMode", "require");
  }

  @Test
  void aServiceNamesNodesAndWhatElseIsToBeSaid() throws Exception {
    Path file = folder.resolve("service.conf");
    String hosts = "127.0.0.1,127.0.0.1";
    String ports = tls.taps.get(0).port() + "," + tls.taps.get(1).port();
    Files.writeString(
        file,
        "[shop]\nhost="
            + hosts
            + "\nport="
            + ports
            + "\ndbname=abelian\nuser=app\nsslmode=verify-full\nsslrootcert="
            + authority()
            + "\n");
    Path passwords = folder.resolve("passwords");
    Files.writeString(passwords, "127.0.0.1:*:abelian:app:app\n");
    System.setProperty("org.postgresql.pgservicefile", file.toString());
    System.setProperty("org.postgresql.pgpassfile", passwords.toString());
    try (Connection connection =
            DriverManager.getConnection("jdbc:abelian://?service=shop", new Properties());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT current_user")) {
      row.next();
      assertEquals(LocalNode.USER, row.getString(1));
    } finally {
      System.clearProperty("org.postgresql.pgservicefile");
      System.clearProperty("org.postgresql.pgpassfile");
    }
  }
}
