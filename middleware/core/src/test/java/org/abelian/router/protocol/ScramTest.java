package org.abelian.router.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;

class ScramTest {
  private static final byte[] SALT = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");

  /** The example of RFC 7677, section 3. */
  @Test
  void proofAndSignatureAreThoseOfTheRfc() {
    byte[] salted = Scram.saltedPassword("pencil", SALT, 4096);
    String auth =
        "n=user,r=rOprNGfwEbeRWgbNEkqO,"
            + "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,"
            + "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    assertEquals(
        "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
        Base64.getEncoder().encodeToString(Scram.clientProof(Scram.clientKey(salted), auth)));
    assertEquals(
        "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
        Base64.getEncoder()
            .encodeToString(
                Scram.hmac(Scram.serverKey(salted), auth.getBytes(StandardCharsets.UTF_8))));
  }

  @Test
  void theServerRecoversWhatProvesTheClientElsewhere() throws ProtocolException {
    ScramVerifier verifier = ScramVerifier.of("päss", SALT, 4096);
    ScramServer server = new ScramServer(verifier, true, "server");
    ScramClient client = new ScramClient(new ScramSecret.Password("päss"), "client");
    assertTrue(server.accept(client.last(server.first(client.first()))));
    client.verify(server.last());

    ScramServer node = new ScramServer(verifier, true, "node");
    ScramClient router = new ScramClient(server.secret(), "router");
    assertTrue(node.accept(router.last(node.first(router.first()))));
    router.verify(node.last());
  }

  @Test
  void aWrongPasswordIsRefused() throws ProtocolException {
    ScramServer server = new ScramServer(ScramVerifier.of("right", SALT, 4096), true, "server");
    ScramClient client = new ScramClient(new ScramSecret.Password("wrong"), "client");
    assertFalse(server.accept(client.last(server.first(client.first()))));
  }

  @Test
  void theRightPasswordOfAMadeUpVerifierIsRefusedToo() throws ProtocolException {
    ScramServer server = new ScramServer(ScramVerifier.of("right", SALT, 4096), false, "server");
    ScramClient client = new ScramClient(new ScramSecret.Password("right"), "client");
    assertFalse(server.accept(client.last(server.first(client.first()))));
  }

  @Test
  void aServerThatDoesNotKnowTheVerifierIsNoticed() throws ProtocolException {
    ScramClient client = new ScramClient(new ScramSecret.Password("right"), "client");
    ScramServer impostor = new ScramServer(ScramVerifier.of("other", SALT, 4096), true, "server");
    impostor.accept(client.last(impostor.first(client.first())));
    assertThrows(ProtocolException.class, () -> client.verify(impostor.last()));
  }

  @Test
  void verifiersAreReadAsPostgresqlWritesThem() {
    ScramVerifier verifier = ScramVerifier.of("app", SALT, 4096);
    Base64.Encoder base64 = Base64.getEncoder();
    ScramVerifier read =
        ScramVerifier.parse(
            "SCRAM-SHA-256$4096:"
                + base64.encodeToString(SALT)
                + "$"
                + base64.encodeToString(verifier.storedKey())
                + ":"
                + base64.encodeToString(verifier.serverKey()));
    assertArrayEquals(verifier.storedKey(), read.storedKey());
    assertThrows(IllegalArgumentException.class, () -> ScramVerifier.parse("md5abc"));
  }
}
