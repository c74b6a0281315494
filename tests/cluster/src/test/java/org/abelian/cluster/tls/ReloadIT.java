package org.abelian.cluster.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import org.abelian.cluster.wire.Binding;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.CertificateAuthority.Issued;
import org.abelian.harness.LocalNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Certificates and rules change while clients come, go and stay. */
@Timeout(120) // a hang is a failure, not a wait
class ReloadIT {
  private static final int CLIENTS = 4;
  private static final int CHANGES = 6;
  private static final String QUERY = "SELECT count(*) FROM item";

  private static TlsCluster tls;

  @BeforeAll
  static void start() throws Exception {
    tls = TlsCluster.shared();
  }

  private static BigInteger serial() throws IOException {
    try (SSLSocket socket = TlsSockets.negotiated(tls.router.port())) {
      return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSerialNumber();
    }
  }

  private static WireClient connect() throws IOException {
    SSLSocket socket = TlsSockets.negotiated(tls.router.port());
    return WireClient.connect(
        socket,
        Binding.to(TlsSockets.endPoint(socket)),
        LocalNode.USER,
        LocalNode.USER,
        LocalNode.DATABASE);
  }

  private static void ask(WireClient client) throws IOException {
    assertEquals("20", client.query(QUERY).untilReady().get(1).values()[0]);
  }

  private static void replace(Path target, Path by) throws IOException {
    Path beside = target.resolveSibling(target.getFileName() + ".new");
    Files.copy(by, beside, StandardCopyOption.REPLACE_EXISTING);
    Files.setPosixFilePermissions(beside, Files.getPosixFilePermissions(tls.key));
    Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE);
  }

  /** As people do: one file after the other. */
  private static void show(Issued issued) throws IOException {
    replace(tls.certificate, issued.certificate());
    replace(tls.key, issued.key());
  }

  private static Issued another(String file) {
    return tls.authority.issue(file, "router", "DNS:" + TlsCluster.HOST);
  }

  @Test
  void aNewCertificateIsShownToNewClientsWhileOthersGoOn() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger connections = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try (WireClient old = connect()) {
      List<Future<?>> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(
            threads.submit(
                () -> {
                  while (!over.get()) {
                    try (WireClient client = connect()) {
                      ask(client);
                      connections.incrementAndGet();
                    }
                  }
                  return null;
                }));
      }
      BigInteger before = serial();
      for (int i = 0; i < CHANGES; i++) {
        show(another("server-" + i));
        BigInteger after = serial();
        assertNotEquals(before, after);
        before = after;
        ask(old);
      }
      over.set(true);
      for (Future<?> client : clients) {
        client.get(60, TimeUnit.SECONDS); // No client was refused.
      }
      assertTrue(connections.get() > 0);
    } finally {
      over.set(true);
      threads.shutdownNow();
    }
  }

  @Test
  void whatCannotBeUsedIsNotTaken() throws Exception {
    Issued good = another("server-good");
    show(good);
    BigInteger shown = serial();
    replace(tls.key, another("server-other").key());
    assertEquals(shown, serial(), "the key is another certificate's");
    replace(tls.certificate, tls.rules);
    assertEquals(shown, serial(), "no certificate at all");
    tls.router.hangUp();
    assertEquals(shown, serial());
    show(good);
    assertEquals(shown, serial());
    assertTrue(tls.router.log().contains("does not match certificate file"), tls.router.log());
  }

  @Test
  void rulesAreReadAgainAtSighup() throws Exception {
    assumeFalse(tls.router.log().contains("SIGHUP is ignored"), "the tests run under nohup");
    Map<String, String> plain = Map.of("PGUSER", "plain");
    assertEquals(0, tls.psql(plain, QUERY).exit());
    try {
      Files.writeString(tls.rules, "host all plain all reject\n" + TlsCluster.CLIENT_RULES);
      assertEquals(0, tls.psql(plain, QUERY).exit(), "not before the signal");
      tls.router.hangUp();
      awaitExit(2, plain);
      Files.writeString(tls.rules, "host all all\n");
      tls.router.hangUp();
      for (int i = 0; i < 1000 && !tls.router.log().contains("rules for clients not"); i++) {
        Thread.sleep(10);
      }
      assertEquals(2, tls.psql(plain, QUERY).exit(), "the rules before are kept");
      assertTrue(tls.router.log().contains("line 1: end-of-line"), tls.router.log());
    } finally {
      Files.writeString(tls.rules, TlsCluster.CLIENT_RULES);
      tls.router.hangUp();
      awaitExit(0, plain);
    }
  }

  /** Bounded; the assertion says that it never came so far. */
  private static void awaitExit(int wanted, Map<String, String> variables) throws Exception {
    for (int i = 0; i < 200 && tls.psql(variables, QUERY).exit() != wanted; i++) {
      Thread.sleep(10);
    }
    assertEquals(wanted, tls.psql(variables, QUERY).exit(), () -> tls.router.log());
  }
}
