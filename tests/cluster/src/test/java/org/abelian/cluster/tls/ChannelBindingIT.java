package org.abelian.cluster.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import javax.net.ssl.SSLSocket;
import org.abelian.cluster.ClientProgram.Result;
import org.abelian.cluster.wire.Binding;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.cluster.wire.WireException;
import org.abelian.harness.LocalNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** SCRAM-SHA-256-PLUS: nobody stands between a client and the server unnoticed. */
class ChannelBindingIT {
  private static TlsCluster tls;

  @BeforeAll
  static void start() throws Exception {
    tls = TlsCluster.shared();
  }

  private interface Belief {
    Binding of(byte[] endPoint);
  }

  private static WireClient connect(Belief belief) throws IOException {
    SSLSocket socket = TlsSockets.negotiated(tls.router.port());
    return WireClient.connect(
        socket,
        belief.of(TlsSockets.endPoint(socket)),
        LocalNode.USER,
        LocalNode.USER,
        LocalNode.DATABASE);
  }

  private static Map<Character, String> refusal(Belief belief) {
    return assertThrows(WireException.class, () -> connect(belief)).error().fields();
  }

  @Test
  void psqlMayRequireIt() throws Exception {
    Map<String, String> require = Map.of("PGCHANNELBINDING", "require");
    assertEquals(new Result(0, "20\n"), tls.psql(require, "SELECT count(*) FROM item"));
  }

  @Test
  void bothMechanismsAreOfferedOverTlsAndTheWeakerOneElsewhere() throws IOException {
    try (WireClient client = connect(endPoint -> Binding.NONE)) {
      assertEquals("SCRAM-SHA-256-PLUS|SCRAM-SHA-256||", mechanisms(client));
    }
    try (WireClient client =
        WireClient.connect(tls.router.port(), "plain", LocalNode.USER, LocalNode.DATABASE)) {
      assertEquals("SCRAM-SHA-256||", mechanisms(client));
    }
  }

  private static String mechanisms(WireClient client) {
    Message offer = client.startup().get(0);
    return new String(offer.body(), 4, offer.body().length - 4, StandardCharsets.US_ASCII)
        .replace('\0', '|');
  }

  @Test
  void theRightEndPointIsLetIn() throws IOException {
    connect(Binding::to).close();
  }

  @Test
  void anotherEndPointIsRefused() {
    Map<Character, String> error =
        refusal(
            endPoint -> {
              endPoint[0] ^= 1;
              return Binding.to(endPoint);
            });
    assertEquals("28000", error.get('C'));
    assertEquals("SCRAM channel binding check failed", error.get('M'));
  }

  @Test
  void aClientThatWasToldOfNoChannelBindingIsWarned() {
    Map<Character, String> error = refusal(endPoint -> Binding.NOT_OFFERED);
    assertEquals("28000", error.get('C'));
    assertEquals("SCRAM channel binding negotiation error", error.get('M'));
    assertTrue(error.get('D').contains("this server does support channel binding"));
  }

  @Test
  void theBeliefThatThereIsNoneIsRightWithoutTls() throws IOException {
    WireClient.connect(
            TlsSockets.plain(tls.router.port()),
            Binding.NOT_OFFERED,
            "plain",
            LocalNode.USER,
            LocalNode.DATABASE)
        .close();
  }

  @Test
  void aMechanismAndAHeaderThatContradictEachOtherAreRefused() {
    byte[] nothing = {};
    assertEquals(
        "08P01", refusal(endPoint -> new Binding("SCRAM-SHA-256-PLUS", "n,,", nothing)).get('C'));
    assertEquals(
        "08P01",
        refusal(endPoint -> new Binding("SCRAM-SHA-256", "p=tls-server-end-point,,", endPoint))
            .get('C'));
    assertEquals(
        "08P01",
        refusal(endPoint -> new Binding("SCRAM-SHA-256-PLUS", "p=tls-unique,,", endPoint))
            .get('C'));
    assertEquals("08P01", refusal(endPoint -> new Binding("SCRAM-SHA-1", "n,,", nothing)).get('C'));
  }

  @Test
  void theMechanismWithChannelBindingIsNotThereWithoutTls() {
    WireException refused =
        assertThrows(
            WireException.class,
            () ->
                WireClient.connect(
                    TlsSockets.plain(tls.router.port()),
                    Binding.to(new byte[32]),
                    "plain",
                    LocalNode.USER,
                    LocalNode.DATABASE));
    assertEquals("08P01", refused.error().sqlState());
  }
}
