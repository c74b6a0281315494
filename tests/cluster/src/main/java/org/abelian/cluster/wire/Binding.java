package org.abelian.cluster.wire;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * What a client says about the channel below SCRAM, which may be a lie.
 *
 * @param mechanism that it chooses
 * @param header of GS2, such as {@code n,,}
 * @param data of the channel
 */
public record Binding(String mechanism, String header, byte[] data) {
  /** No channel binding, and no wish for it. */
  public static final Binding NONE = new Binding("SCRAM-SHA-256", "n,,", new byte[0]);

  /** The client believes that the server has no channel binding. */
  public static final Binding NOT_OFFERED = new Binding("SCRAM-SHA-256", "y,,", new byte[0]);

  /** Bound to a server's certificate. */
  public static Binding to(byte[] endPoint) {
    return new Binding("SCRAM-SHA-256-PLUS", "p=tls-server-end-point,,", endPoint);
  }

  String attribute() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(header.getBytes(StandardCharsets.UTF_8));
    bytes.writeBytes(data);
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }
}
