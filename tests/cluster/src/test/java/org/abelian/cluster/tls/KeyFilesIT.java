package org.abelian.cluster.tls;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.abelian.harness.CertificateAuthority;
import org.abelian.harness.CertificateAuthority.Issued;
import org.abelian.router.tls.NodeTls;
import org.abelian.router.tls.NodeTlsSettings;
import org.abelian.router.tls.NodeTlsSettings.Dialect;
import org.abelian.router.tls.TlsException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Private keys in all the forms that openssl writes. */
class KeyFilesIT {
  private static final String PASSWORD = "pass:secret";

  @TempDir static Path folder;

  private static CertificateAuthority authority;

  @BeforeAll
  static void create() {
    authority = CertificateAuthority.create(folder, "authority");
  }

  private static void read(Dialect dialect, Path certificate, Path key, String password)
      throws TlsException {
    NodeTlsSettings.Builder settings = new NodeTlsSettings.Builder(dialect);
    settings.set("sslmode", "require");
    settings.set("sslcert", certificate.toString());
    settings.set("sslkey", key.toString());
    if (password != null) {
      settings.set("sslpassword", password);
    }
    try (NodeTls tls = new NodeTls(settings.build())) {
      tls.check();
    }
  }

  private static void read(Issued issued, Path key, String password) throws TlsException {
    CertificateAuthority.makePrivate(key);
    read(Dialect.LIBPQ, issued.certificate(), key, password);
  }

  @ParameterizedTest
  @CsvSource({
    "RSA, pkcs8 -topk8 -nocrypt, ",
    "RSA, rsa -traditional, ",
    "RSA, rsa -traditional -aes128, secret",
    "RSA, rsa -traditional -aes256, secret",
    "RSA, rsa -traditional -des3, secret",
    "RSA, pkcs8 -topk8, secret",
    "RSA, pkcs8 -topk8 -v2prf hmacWithSHA512 -v2 aes-128-cbc, secret",
    "RSA, pkcs8 -topk8 -nocrypt -outform DER, ",
    "RSA, pkcs8 -topk8 -outform DER, secret",
    "RSA-PSS, pkcs8 -topk8 -nocrypt, ",
    "EC, pkcs8 -topk8 -nocrypt, ",
    "EC, pkcs8 -topk8, secret",
    "EC, ec, ",
    "EC, ec -aes256, secret",
    "ED25519, pkcs8 -topk8 -nocrypt, ",
    "ED25519, pkcs8 -topk8, secret"
  })
  void everyFormIsRead(String algorithm, String command, String password) throws Exception {
    Issued issued = authority.issueWithKey("key", algorithm, "somebody");
    Path key = authority.folder().resolve("converted");
    List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
    arguments.addAll(List.of("-in", "key.key", "-out", "converted"));
    if (password != null) {
      arguments.addAll(List.of("-passout", PASSWORD));
    }
    authority.openssl(arguments.toArray(String[]::new));
    read(issued, key, password);
    if (password != null) {
      assertThrows(TlsException.class, () -> read(issued, key, null));
      assertThrows(TlsException.class, () -> read(issued, key, "wrong"));
    }
  }

  @Test
  void anArchiveHoldsBoth() {
    Issued issued = authority.issue("archived", "somebody");
    authority.openssl(
        "pkcs12",
        "-export",
        "-in",
        "archived.crt",
        "-inkey",
        "archived.key",
        "-out",
        "both.p12",
        "-passout",
        PASSWORD);
    Path archive = authority.folder().resolve("both.p12");
    assertDoesNotThrow(() -> read(Dialect.PGJDBC, issued.certificate(), archive, "secret"));
    assertThrows(
        TlsException.class, () -> read(Dialect.PGJDBC, issued.certificate(), archive, "wrong"));
  }

  @Test
  void theKeyOfAnotherCertificateIsNoticed() {
    Issued one = authority.issue("one", "one");
    Issued other = authority.issue("other", "other");
    String message =
        assertThrows(TlsException.class, () -> read(one, other.key(), null)).getMessage();
    assertTrue(message.contains("does not match certificate file"), message);
  }

  @Test
  void aKeyThatOthersMayReadIsRefusedByTheRulesOfLibpq() throws Exception {
    Issued issued = authority.issue("open", "somebody");
    Files.setPosixFilePermissions(issued.key(), PosixFilePermissions.fromString("rw-r--r--"));
    String message =
        assertThrows(
                TlsException.class,
                () -> read(Dialect.LIBPQ, issued.certificate(), issued.key(), null))
            .getMessage();
    assertTrue(message.contains("has group or world access"), message);
    read(Dialect.PGJDBC, issued.certificate(), issued.key(), null);
  }

  @Test
  void whatIsMissingIsNamed() {
    Issued issued = authority.issue("lonely", "somebody");
    Path absent = folder.resolve("absent");
    assertEquals(
        "certificate present, but not private key file \"" + absent + "\"",
        assertThrows(
                TlsException.class, () -> read(Dialect.LIBPQ, issued.certificate(), absent, null))
            .getMessage());
    assertEquals(
        "certificate file \"" + absent + "\" does not exist",
        assertThrows(TlsException.class, () -> read(Dialect.LIBPQ, absent, issued.key(), null))
            .getMessage());
  }
}
