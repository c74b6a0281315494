package org.abelian.router.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The server's side of one SCRAM-SHA-256 exchange, without channel binding. */
public final class ScramServer {
  private final ScramVerifier verifier;
  private final boolean known;
  private final String serverNonce;
  private String clientFirstBare;
  private String serverFirst;
  private String nonce;
  private String headerBase64;
  private byte[] clientKey;
  private String serverSignature;

  /**
   * @param verifier the user's, or a made-up one that stays the same for the same name
   * @param known false for a made-up verifier: every proof is then wrong
   * @param serverNonce printable, without commas, never used before
   */
  public ScramServer(ScramVerifier verifier, boolean known, String serverNonce) {
    this.verifier = verifier;
    this.known = known;
    this.serverNonce = serverNonce;
  }

  /** The server's first message, in answer to the client's. */
  public String first(String clientFirst) throws ProtocolException {
    if (clientFirst.startsWith("p=") || clientFirst.length() < 3) {
      throw new ProtocolException("SCRAM channel binding was not offered");
    }
    int header = clientFirst.indexOf(',', clientFirst.indexOf(',') + 1) + 1;
    headerBase64 =
        Base64.getEncoder()
            .encodeToString(clientFirst.substring(0, header).getBytes(StandardCharsets.UTF_8));
    clientFirstBare = clientFirst.substring(header);
    nonce = ScramClient.attribute(clientFirstBare, 'r') + serverNonce;
    serverFirst =
        "r="
            + nonce
            + ",s="
            + Base64.getEncoder().encodeToString(verifier.salt())
            + ",i="
            + verifier.iterations();
    return serverFirst;
  }

  /** True when the client's final message proves that it knows the password. */
  public boolean accept(String clientFinal) throws ProtocolException {
    int proofAt = clientFinal.lastIndexOf(",p=");
    if (proofAt < 0
        || !ScramClient.attribute(clientFinal, 'r').equals(nonce)
        || !ScramClient.attribute(clientFinal, 'c').equals(headerBase64)) {
      throw new ProtocolException("malformed SCRAM message");
    }
    String authMessage =
        clientFirstBare + "," + serverFirst + "," + clientFinal.substring(0, proofAt);
    byte[] proof;
    try {
      proof = Base64.getDecoder().decode(clientFinal.substring(proofAt + 3));
    } catch (IllegalArgumentException e) {
      throw new ProtocolException("malformed SCRAM proof");
    }
    clientKey = Scram.recoverClientKey(proof, verifier.storedKey(), authMessage);
    byte[] signature =
        Scram.hmac(verifier.serverKey(), authMessage.getBytes(StandardCharsets.UTF_8));
    serverSignature = Base64.getEncoder().encodeToString(signature);
    return known && clientKey != null;
  }

  /** The server's final message; only after accept. */
  public String last() {
    return "v=" + serverSignature;
  }

  /** What the client proved to have, for use at the nodes; only after accept. */
  public ScramSecret secret() {
    return new ScramSecret.Derived(clientKey, verifier.serverKey());
  }
}
