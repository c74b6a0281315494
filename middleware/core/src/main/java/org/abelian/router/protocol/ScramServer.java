package org.abelian.router.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/** The server's side of one SCRAM-SHA-256 exchange, with and without channel binding. */
public final class ScramServer {
  private final ScramVerifier verifier;
  private final boolean known;
  private final String serverNonce;
  private final byte[] endPoint;
  private ScramBinding binding;
  private String clientFirstBare;
  private String serverFirst;
  private String nonce;
  private byte[] clientKey;
  private String serverSignature;

  /**
   * @param verifier the user's, or a made-up one that stays the same for the same name
   * @param known false for a made-up verifier: every proof is then wrong
   * @param serverNonce printable, without commas, never used before
   * @param endPoint of the TLS connection; null when channel binding is not offered
   */
  public ScramServer(ScramVerifier verifier, boolean known, String serverNonce, byte[] endPoint) {
    this.verifier = verifier;
    this.known = known;
    this.serverNonce = serverNonce;
    this.endPoint = endPoint == null ? null : endPoint.clone();
  }

  /** The mechanisms to offer, the stronger first. */
  public List<String> mechanisms() {
    return endPoint == null
        ? List.of(Scram.MECHANISM)
        : List.of(Scram.MECHANISM_PLUS, Scram.MECHANISM);
  }

  /**
   * The server's first message, in answer to the client's.
   *
   * @param mechanism that the client has chosen
   * @throws ChannelBindingException when the client was made to believe that there is no channel
   *     binding
   */
  public String first(String mechanism, String clientFirst)
      throws ProtocolException, ChannelBindingException {
    if (!mechanisms().contains(mechanism)) {
      throw new ProtocolException("client selected an invalid SASL authentication mechanism");
    }
    int comma = clientFirst.indexOf(',');
    int header = clientFirst.indexOf(',', comma + 1) + 1;
    if (comma < 1 || header == 0) {
      throw new ProtocolException("malformed SCRAM message");
    }
    if (header != comma + 2) {
      throw new ProtocolException("client uses authorization identity, but it is not supported");
    }
    binding = binding(clientFirst.substring(0, comma), mechanism.equals(Scram.MECHANISM_PLUS));
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

  private ScramBinding binding(String flag, boolean plus)
      throws ProtocolException, ChannelBindingException {
    boolean names = flag.startsWith("p=");
    if (names != plus) {
      throw new ProtocolException(
          plus
              ? "malformed SCRAM message: the client selected SCRAM-SHA-256-PLUS, but the message"
                  + " has no channel binding data"
              : "malformed SCRAM message: the client selected SCRAM-SHA-256 without channel"
                  + " binding, but the message has channel binding data");
    }
    if (names) {
      if (!flag.equals("p=" + ScramBinding.TYPE)) {
        throw new ProtocolException(
            "unsupported SCRAM channel-binding type \"" + flag.substring(2) + "\"");
      }
      return ScramBinding.to(endPoint);
    }
    return switch (flag) {
      case "n" -> ScramBinding.NONE;
      case "y" -> {
        if (endPoint != null) {
          throw new ChannelBindingException(
              "SCRAM channel binding negotiation error",
              "The client supports SCRAM channel binding but thinks the server does not."
                  + "  However, this server does support channel binding.");
        }
        yield ScramBinding.NOT_OFFERED;
      }
      default ->
          throw new ProtocolException(
              "malformed SCRAM message: unexpected channel-binding flag \"" + flag + "\"");
    };
  }

  /**
   * True when the client's final message proves that it knows the password.
   *
   * @throws ChannelBindingException when the client is bound to another channel
   */
  public boolean accept(String clientFinal) throws ProtocolException, ChannelBindingException {
    int proofAt = clientFinal.lastIndexOf(",p=");
    if (proofAt < 0 || !ScramClient.attribute(clientFinal, 'r').equals(nonce)) {
      throw new ProtocolException("malformed SCRAM message");
    }
    if (!ScramClient.attribute(clientFinal, 'c').equals(binding.attribute())) {
      if (binding.data().length > 0) {
        throw new ChannelBindingException("SCRAM channel binding check failed", null);
      }
      throw new ProtocolException(
          "unexpected SCRAM channel-binding attribute in client-final-message");
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
