package org.abelian.router.protocol;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * What a client says about the channel below a SCRAM exchange: the GS2 header and the binding data
 * of RFC 5802, which the proof covers.
 *
 * @param header the GS2 header, such as {@code n,,}
 * @param data the channel's, empty without channel binding
 */
public record ScramBinding(String header, byte[] data) {
  /** The only type of channel binding that PostgreSQL knows. */
  public static final String TYPE = "tls-server-end-point";

  /** The client cannot bind to the channel, or does not want to. */
  public static final ScramBinding NONE = new ScramBinding("n,,", new byte[0]);

  /** The client could, but the server has not offered it: a server that has then objects. */
  public static final ScramBinding NOT_OFFERED = new ScramBinding("y,,", new byte[0]);

  /** The client is bound to a TLS connection with that end point. */
  public static ScramBinding to(byte[] endPoint) {
    return new ScramBinding("p=" + TYPE + ",,", endPoint);
  }

  /** The mechanism for it. */
  public String mechanism() {
    return header.charAt(0) == 'p' ? Scram.MECHANISM_PLUS : Scram.MECHANISM;
  }

  /** The attribute c of the client's final message. */
  String attribute() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(header.getBytes(StandardCharsets.UTF_8));
    bytes.writeBytes(data);
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  @Override
  public String toString() {
    return "ScramBinding[" + header + "]";
  }
}
