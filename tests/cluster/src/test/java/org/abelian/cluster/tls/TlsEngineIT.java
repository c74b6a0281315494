package org.abelian.cluster.tls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Random;
import javax.net.ssl.SSLException;
import org.abelian.harness.CertificateAuthority;
import org.abelian.harness.CertificateAuthority.Issued;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.tls.NodeTls;
import org.abelian.router.tls.NodeTlsSettings;
import org.abelian.router.tls.NodeTlsSettings.Dialect;
import org.abelian.router.tls.ServerEndPoint;
import org.abelian.router.tls.ServerTls;
import org.abelian.router.tls.ServerTlsSettings;
import org.abelian.router.tls.TlsEngine;
import org.abelian.router.tls.TlsException;
import org.abelian.router.tls.TlsVersion;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two ends of a connection without a network, which cuts what they say at random places. */
class TlsEngineIT {
  private static final int ROUNDS = 40;
  private static final int LARGEST = 70_000;

  @TempDir static Path folder;

  private static CertificateAuthority authority;

  @BeforeAll
  static void create() {
    authority = CertificateAuthority.create(folder, "authority");
    authority.issue("server", "server", "DNS:localhost");
    authority.issue("client", "client");
  }

  private static Issued issued(String name) {
    Path files = authority.folder();
    return new Issued(files.resolve(name + ".crt"), files.resolve(name + ".key"));
  }

  private static ServerTls server(Issued shown, TlsVersion version, String ciphers, Path ca)
      throws TlsException {
    return ServerTls.open(
        new ServerTlsSettings(
            shown.certificate(),
            shown.key(),
            ca,
            null,
            null,
            version,
            version,
            ciphers,
            true,
            null));
  }

  private static ServerTls server(TlsVersion version) throws TlsException {
    return server(
        issued("server"), version, ServerTlsSettings.DEFAULT_CIPHERS, authority.certificate());
  }

  private static NodeTls client(String... options) {
    NodeTlsSettings.Builder settings = new NodeTlsSettings.Builder(Dialect.LIBPQ);
    settings.set("sslmode", "verify-full");
    settings.set("sslrootcert", authority.certificate().toString());
    for (int i = 0; i < options.length; i += 2) {
      settings.set(options[i], options[i + 1]);
    }
    return new NodeTls(settings.build());
  }

  /** Passes on a random piece of what one has to say; false when there is nothing. */
  private static boolean pass(Random random, TlsEngine from, TlsEngine to) {
    ByteQueue bytes = from.toSend();
    if (bytes.isEmpty()) {
      return false;
    }
    int most = random.nextBoolean() ? 7 : 20_000;
    int count = 1 + random.nextInt(Math.min(bytes.size(), most));
    to.received().append(bytes.array(), bytes.start(), count);
    bytes.consume(count);
    return true;
  }

  private static void handshake(Random random, TlsEngine one, TlsEngine other) throws SSLException {
    boolean oneDone = false;
    boolean otherDone = false;
    for (int i = 0; !oneDone || !otherDone; i++) {
      assertTrue(i < 100_000, "the handshake gets no further");
      oneDone = one.handshake();
      pass(random, one, other);
      otherDone = other.handshake();
      pass(random, other, one);
    }
  }

  private static byte[] send(Random random, TlsEngine from, TlsEngine to, byte[] message)
      throws SSLException {
    from.encrypt(message, 0, message.length);
    ByteQueue arrived = new ByteQueue(0);
    while (pass(random, from, to)) {
      to.decrypt(arrived);
    }
    return arrived.toByteArray();
  }

  @ParameterizedTest
  @EnumSource(
      value = TlsVersion.class,
      names = {"TLS_1_2", "TLS_1_3"})
  void whateverTheNetworkDoesTheBytesArrive(TlsVersion version) throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try (NodeTls client =
        client(
            "sslcert", issued("client").certificate().toString(),
            "sslkey", issued("client").key().toString())) {
      ServerTls.Accepted accepted = server(version).accept();
      TlsEngine there = accepted.engine();
      TlsEngine here = client.engine("localhost", 5432);
      handshake(random, here, there);
      assertEquals(version.toString(), here.session().getProtocol());
      assertEquals("postgresql", here.applicationProtocol());
      assertEquals("CN=client", there.peerCertificate().getSubjectX500Principal().toString());
      assertArrayEquals(accepted.endPoint(), ServerEndPoint.ofPeer(here.session()));
      for (int i = 0; i < ROUNDS; i++) {
        byte[] message = new byte[random.nextInt(i % 4 == 0 ? LARGEST : 100)];
        random.nextBytes(message);
        boolean forth = random.nextBoolean();
        byte[] arrived =
            forth ? send(random, here, there, message) : send(random, there, here, message);
        assertArrayEquals(message, arrived, "seed " + seed);
      }
      here.end();
      while (pass(random, here, there)) {
        // To the last byte.
      }
      assertEquals(-1, there.decrypt(new ByteQueue(0)), "seed " + seed);
    }
  }

  @Test
  void aByteThatWasChangedOnTheWayIsNoticed() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try (NodeTls client = client()) {
      TlsEngine there = server(TlsVersion.TLS_1_3).accept().engine();
      TlsEngine here = client.engine("localhost", 5432);
      handshake(random, here, there);
      here.encrypt(new byte[1000], 0, 1000);
      ByteQueue bytes = here.toSend();
      bytes.array()[bytes.start() + 5 + random.nextInt(1000)] ^= 1;
      there.received().append(bytes.array(), bytes.start(), bytes.size());
      ByteQueue arrived = new ByteQueue(0);
      assertThrows(SSLException.class, () -> there.decrypt(arrived), "seed " + seed);
      assertTrue(arrived.isEmpty());
    }
  }

  @Test
  void rubbishInPlaceOfAHandshakeIsRefused() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    ServerTls server = server(TlsVersion.TLS_1_3);
    for (int i = 0; i < 200; i++) {
      TlsEngine there = server.accept().engine();
      byte[] rubbish = new byte[1 + random.nextInt(400)];
      random.nextBytes(rubbish);
      if (random.nextBoolean()) {
        System.arraycopy(new byte[] {0x16, 3, 1, 0}, 0, rubbish, 0, Math.min(4, rubbish.length));
      }
      there.received().append(rubbish);
      try {
        assertFalse(there.handshake(), "seed " + seed);
      } catch (SSLException expected) {
        assertThrows(SSLException.class, () -> there.encrypt(rubbish, 0, 1), "seed " + seed);
      }
    }
  }

  @Test
  void theCiphersOfTheListAreUsed() throws Exception {
    Random random = new Random(1);
    try (NodeTls client = client()) {
      ServerTls server =
          server(
              issued("server"),
              TlsVersion.TLS_1_2,
              "ECDHE-ECDSA-AES128-SHA256",
              authority.certificate());
      TlsEngine here = client.engine("localhost", 5432);
      handshake(random, here, server.accept().engine());
      assertEquals("TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", here.session().getCipherSuite());
    }
  }

  @Test
  void aServerWithoutAuthoritiesAsksForNoCertificate() throws Exception {
    try (NodeTls client =
        client(
            "sslcert", issued("client").certificate().toString(),
            "sslkey", issued("client").key().toString())) {
      ServerTls.Accepted accepted =
          server(issued("server"), TlsVersion.TLS_1_3, ServerTlsSettings.DEFAULT_CIPHERS, null)
              .accept();
      handshake(new Random(1), client.engine("localhost", 5432), accepted.engine());
      assertFalse(accepted.verifiesClients());
      assertNull(accepted.engine().peerCertificate());
    }
  }

  /** RFC 5929 names no digest for keys whose signatures name none. */
  @ParameterizedTest
  @ValueSource(strings = {"RSA", "RSA-PSS", "EC", "ED25519"})
  void everyKindOfKeyServes(String algorithm) throws Exception {
    Issued shown =
        authority.issueWithKey("server-" + algorithm, algorithm, "server", "DNS:localhost");
    try (NodeTls client = client()) {
      ServerTls.Accepted accepted =
          server(shown, TlsVersion.TLS_1_3, ServerTlsSettings.DEFAULT_CIPHERS, null).accept();
      TlsEngine here = client.engine("localhost", 5432);
      handshake(new Random(1), here, accepted.engine());
      assertNotNull(accepted.endPoint(), "the signature is the authority's, by SHA-256");
      assertArrayEquals(accepted.endPoint(), ServerEndPoint.ofPeer(here.session()));
    }
  }

  @Test
  void aCertificateThatNamesNoDigestOffersNoChannelBinding() throws Exception {
    authority.openssl(
        "req",
        "-x509",
        "-newkey",
        "ed25519",
        "-nodes",
        "-keyout",
        "self.key",
        "-out",
        "self.crt",
        "-subj",
        "/CN=self",
        "-addext",
        "subjectAltName=DNS:localhost");
    CertificateAuthority.makePrivate(issued("self").key());
    String root = issued("self").certificate().toString();
    try (NodeTls client = client("sslrootcert", root)) {
      ServerTls.Accepted accepted =
          server(issued("self"), TlsVersion.TLS_1_3, ServerTlsSettings.DEFAULT_CIPHERS, null)
              .accept();
      TlsEngine here = client.engine("localhost", 5432);
      handshake(new Random(1), here, accepted.engine());
      assertNull(accepted.endPoint());
      assertNull(ServerEndPoint.ofPeer(here.session()));
    }
  }

  /** Its certificate and that of the authority in between are in one file, as for PostgreSQL. */
  @Test
  void aChainLeadsToTheRoot() throws Exception {
    CertificateAuthority between = authority.intermediate("between");
    Issued leaf = between.issue("leaf", "server", "DNS:localhost");
    Path chain = folder.resolve("chain.crt");
    Files.writeString(
        chain, Files.readString(leaf.certificate()) + Files.readString(between.certificate()));
    Random random = new Random(1);
    String ciphers = ServerTlsSettings.DEFAULT_CIPHERS;
    try (NodeTls client = client()) {
      ServerTls whole = server(new Issued(chain, leaf.key()), TlsVersion.TLS_1_3, ciphers, null);
      handshake(random, client.engine("localhost", 5432), whole.accept().engine());
      ServerTls alone = server(leaf, TlsVersion.TLS_1_3, ciphers, null);
      TlsEngine here = client.engine("localhost", 5432);
      TlsEngine there = alone.accept().engine();
      assertThrows(SSLException.class, () -> handshake(random, here, there));
    }
  }

  @Test
  void theSystemsRootsAreThoseOfTheJvm() throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    try (InputStream in = Files.newInputStream(authority.certificate())) {
      store.setCertificateEntry(
          "root", CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    Path file = folder.resolve("system.p12");
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, "secret".toCharArray());
    }
    Random random = new Random(1);
    try (NodeTls stranger = client("sslrootcert", "system")) {
      TlsEngine here = stranger.engine("localhost", 5432);
      TlsEngine there = server(TlsVersion.TLS_1_3).accept().engine();
      assertThrows(SSLException.class, () -> handshake(random, here, there));
    }
    System.setProperty("javax.net.ssl.trustStore", file.toString());
    System.setProperty("javax.net.ssl.trustStorePassword", "secret");
    try (NodeTls client = client("sslrootcert", "system")) {
      TlsEngine here = client.engine("localhost", 5432);
      handshake(random, here, server(TlsVersion.TLS_1_3).accept().engine());
      client.verifyHost("localhost", here.session());
      assertThrows(TlsException.class, () -> client.verifyHost("127.0.0.1", here.session()));
    } finally {
      System.clearProperty("javax.net.ssl.trustStore");
      System.clearProperty("javax.net.ssl.trustStorePassword");
    }
  }
}
