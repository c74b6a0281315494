package org.abelian.router.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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
  void theServerRecoversWhatProvesTheClientElsewhere() throws IOException {
    ScramVerifier verifier = ScramVerifier.of("päss", SALT, 4096);
    ScramServer server = new ScramServer(verifier, true, "server", null);
    ScramClient client =
        new ScramClient(new ScramSecret.Password("päss"), "client", ScramBinding.NONE);
    assertTrue(server.accept(client.last(server.first(Scram.MECHANISM, client.first()))));
    client.verify(server.last());

    ScramServer node = new ScramServer(verifier, true, "node", null);
    ScramClient router = new ScramClient(server.secret(), "router", ScramBinding.NONE);
    assertTrue(node.accept(router.last(node.first(Scram.MECHANISM, router.first()))));
    router.verify(node.last());
  }

  @Test
  void aWrongPasswordIsRefused() throws IOException {
    ScramServer server =
        new ScramServer(ScramVerifier.of("right", SALT, 4096), true, "server", null);
    ScramClient client =
        new ScramClient(new ScramSecret.Password("wrong"), "client", ScramBinding.NONE);
    assertFalse(server.accept(client.last(server.first(Scram.MECHANISM, client.first()))));
  }

  @Test
  void theRightPasswordOfAMadeUpVerifierIsRefusedToo() throws IOException {
    ScramServer server =
        new ScramServer(ScramVerifier.of("right", SALT, 4096), false, "server", null);
    ScramClient client =
        new ScramClient(new ScramSecret.Password("right"), "client", ScramBinding.NONE);
    assertFalse(server.accept(client.last(server.first(Scram.MECHANISM, client.first()))));
  }

  @Test
  void aServerThatDoesNotKnowTheVerifierIsNoticed() throws IOException {
    ScramClient client =
        new ScramClient(new ScramSecret.Password("right"), "client", ScramBinding.NONE);
    ScramServer impostor =
        new ScramServer(ScramVerifier.of("other", SALT, 4096), true, "server", null);
    impostor.accept(client.last(impostor.first(Scram.MECHANISM, client.first())));
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

  private static final byte[] END_POINT = {1, 2, 3};

  private static ScramServer bound(String nonce) {
    return new ScramServer(ScramVerifier.of("right", SALT, 4096), true, nonce, END_POINT);
  }

  @Test
  void aPasswordGivesTheKeysOfTheSaltThatIsAskedFor() {
    ScramSecret secret = new ScramSecret.Password("right");
    byte[] one = {1};
    byte[] other = {2};
    byte[] first = secret.keys(one, 10).clientKey();
    assertFalse(Arrays.equals(first, secret.keys(other, 10).clientKey()));
    assertArrayEquals(first, secret.keys(one, 10).clientKey());
    assertFalse(Arrays.equals(first, secret.keys(one, 11).clientKey()));
    assertArrayEquals(first, new ScramSecret.Password("right").keys(one, 10).clientKey());
  }

  private static ScramClient client(ScramSecret secret, ScramBinding binding) {
    return new ScramClient(secret, "client", binding);
  }

  @Test
  void whatAClientRevealsBindsToTheChannelOfANodeAsWell() throws IOException {
    ScramServer server = bound("server");
    ScramBinding binding = ScramBinding.to(END_POINT);
    ScramClient client = client(new ScramSecret.Password("right"), binding);
    assertTrue(server.accept(client.last(server.first(binding.mechanism(), client.first()))));
    client.verify(server.last());

    byte[] other = {7, 7};
    ScramServer node = new ScramServer(ScramVerifier.of("right", SALT, 4096), true, "node", other);
    ScramBinding toNode = ScramBinding.to(other);
    ScramClient router = client(server.secret(), toNode);
    assertTrue(node.accept(router.last(node.first(toNode.mechanism(), router.first()))));
    router.verify(node.last());
  }

  @Test
  void anotherChannelIsNoticedBeforeTheProof() throws IOException {
    ScramServer server = bound("server");
    ScramBinding elsewhere = ScramBinding.to(new byte[] {3, 2, 1});
    ScramClient client = client(new ScramSecret.Password("right"), elsewhere);
    String last = client.last(server.first(Scram.MECHANISM_PLUS, client.first()));
    assertThrows(ChannelBindingException.class, () -> server.accept(last));
  }

  @Test
  void aClientThatWasNotOfferedWhatTheServerHasIsStopped() {
    ScramClient misled = client(new ScramSecret.Password("right"), ScramBinding.NOT_OFFERED);
    assertThrows(
        ChannelBindingException.class,
        () -> bound("server").first(Scram.MECHANISM, misled.first()));
  }

  @Test
  void nodesThatTalkNonsenseAreRefused() {
    for (String first :
        new String[] {
          "r=client1,s=!,i=4096",
          "r=client1,s=AAAA,i=many",
          "r=client1,s=AAAA,i=0",
          "r=client1,s=AAAA,i=2000000000",
          "r=other,s=AAAA,i=4096",
          "s=AAAA,i=4096",
          ""
        }) {
      ScramClient client = client(new ScramSecret.Password("right"), ScramBinding.NONE);
      assertThrows(ProtocolException.class, () -> client.last(first), first);
    }
  }
}
