package org.abelian.router.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The client's side of one SCRAM-SHA-256 exchange, with and without channel binding. */
public final class ScramClient {
  /** A node that asks for more would keep the router busy for seconds. */
  private static final int MOST_ITERATIONS = 10_000_000;

  private final ScramSecret secret;
  private final ScramBinding binding;
  private final String firstBare;
  private String authMessage;
  private byte[] serverKey;

  /**
   * @param nonce printable, without commas, never used before
   * @param binding what the server is told about the channel
   */
  public ScramClient(ScramSecret secret, String nonce, ScramBinding binding) {
    this.secret = secret;
    this.binding = binding;
    // PostgreSQL takes the user's name from the start-up message and ignores this one.
    firstBare = "n=,r=" + nonce;
  }

  /** The first message. */
  public String first() {
    return binding.header() + firstBare;
  }

  /**
   * The final message, in answer to the server's first.
   *
   * @throws ProtocolException when the server's message is not what RFC 5802 asks for
   */
  public String last(String serverFirst) throws ProtocolException {
    String nonce = attribute(serverFirst, 'r');
    byte[] salt = decoded(attribute(serverFirst, 's'));
    int iterations = iterations(attribute(serverFirst, 'i'));
    if (!nonce.startsWith(firstBare.substring("n=,r=".length()))) {
      throw new ProtocolException("the node's SCRAM nonce does not extend ours");
    }
    String withoutProof = "c=" + binding.attribute() + ",r=" + nonce;
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
    byte[] signature = decoded(attribute(serverFinal, 'v'));
    byte[] expected = Scram.hmac(serverKey, authMessage.getBytes(StandardCharsets.UTF_8));
    if (!Scram.same(signature, expected)) {
      throw new ProtocolException("the node could not prove that it knows the password");
    }
  }

  private static byte[] decoded(String base64) throws ProtocolException {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new ProtocolException("the node's SCRAM message is not valid Base64");
    }
  }

  private static int iterations(String text) throws ProtocolException {
    try {
      int iterations = Integer.parseInt(text);
      if (iterations >= 1 && iterations <= MOST_ITERATIONS) {
        return iterations;
      }
    } catch (NumberFormatException e) {
      // The same as a number that is out of bounds.
    }
    throw new ProtocolException("the node's SCRAM message has an invalid iteration count");
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
