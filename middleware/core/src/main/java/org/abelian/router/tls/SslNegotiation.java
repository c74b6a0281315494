package org.abelian.router.tls;

import java.util.Locale;

/** libpq's sslnegotiation: how TLS begins on a connection. */
public enum SslNegotiation {
  /** The node is asked first, in the clear, by an SSLRequest. */
  POSTGRES,
  /** The handshake comes first; PostgreSQL knows this from version 17 on. */
  DIRECT;

  /**
   * Reads libpq's name.
   *
   * @throws IllegalArgumentException when there is no such way
   */
  public static SslNegotiation parse(String text) {
    for (SslNegotiation negotiation : values()) {
      if (negotiation.toString().equalsIgnoreCase(text)) {
        return negotiation;
      }
    }
    throw new IllegalArgumentException(
        "invalid sslnegotiation value: \"" + text + "\"; it is postgres or direct");
  }

  /** libpq's name. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
