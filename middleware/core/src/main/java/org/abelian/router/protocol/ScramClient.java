package org.abelian.router.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The client's side of one SCRAM-SHA-256 exchange, without channel binding. */
public final class ScramClient {
  private final ScramSecret secret;
  private final String firstBare;
  private String authMessage;
  private byte[] serverKey;

  /**
   * @param nonce printable, without commas, never used before
   */
  public ScramClient(ScramSecret secret, String nonce) {
    this.secret = secret;
    // PostgreSQL takes the user's name from the start-up message and ignores this one.
    firstBare = "n=,r=" + nonce;
  }

  /** The first message. */
  public String first() {
    return "n,," + firstBare;
  }

  /**
   * The final message, in answer to the server's first.
   *
   * @throws ProtocolException when the server's message is not what RFC 5802 asks for
   */
  public String last(String serverFirst) throws ProtocolException {
    String nonce = attribute(serverFirst, 'r');
    byte[] salt = Base64.getDecoder().decode(attribute(serverFirst, 's'));
    int iterations = Integer.parseInt(attribute(serverFirst, 'i'));
    if (!nonce.startsWith(firstBare.substring("n=,r=".length()))) {
      throw new ProtocolException("the node's SCRAM nonce does not extend ours");
    }
    String withoutProof = "c=biws,r=" + nonce;
    authMessage = firstBare + "," + serverFirst + "," + withoutProof;
    ScramSecret.Keys keys = secret.keys(salt, iterations);
    serverKey = keys.serverKey();
    byte[] proof = Scram.clientProof(keys.clientKey(), authMessage);
    return withoutProof + ",p=" + Base64.getEncoder().encodeToString(proof);
  }

  /**
   * Checks that the server knows the verifier.
   *
   * @throws ProtocolException when it does not
   */
  public void verify(String serverFinal) throws ProtocolException {
    byte[] signature = Base64.getDecoder().decode(attribute(serverFinal, 'v'));
    byte[] expected = Scram.hmac(serverKey, authMessage.getBytes(StandardCharsets.UTF_8));
    if (!Scram.same(signature, expected)) {
      throw new ProtocolException("the node could not prove that it knows the password");
    }
  }

  static String attribute(String message, char name) throws ProtocolException {
    for (String part : message.split(",")) {
      if (part.length() >= 2 && part.charAt(0) == name && part.charAt(1) == '=') {
        return part.substring(2);
      }
    }
    throw new ProtocolException("SCRAM message without attribute " + name);
  }
}
