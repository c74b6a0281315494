package org.abelian.router.tls;

import java.util.Locale;

/** libpq's sslmode: whether a connection to a node is encrypted, and what is verified. */
public enum SslMode {
  /** Never. */
  DISABLE,
  /** Only when the node refuses a plain connection. */
  ALLOW,
  /** Unless the node has no TLS, or refuses the encrypted connection. */
  PREFER,
  /** Always; the node's certificate is verified only when there is a file of root certificates. */
  REQUIRE,
  /** Always, and a trusted authority must have issued the node's certificate. */
  VERIFY_CA,
  /** The same, and the certificate must name the node's host. */
  VERIFY_FULL;

  /**
   * Reads libpq's name.
   *
   * @throws IllegalArgumentException when there is no such mode
   */
  public static SslMode parse(String text) {
    for (SslMode mode : values()) {
      if (mode.toString().equalsIgnoreCase(text)) {
        return mode;
      }
    }
    throw new IllegalArgumentException(
        "invalid sslmode value: \""
            + text
            + "\"; the modes are disable, allow, prefer, require, verify-ca and verify-full");
  }

  /** True when a plain connection is never made. */
  public boolean requiresEncryption() {
    return compareTo(REQUIRE) >= 0;
  }

  /** True when a certificate is refused that no trusted authority has issued. */
  public boolean verifiesAuthority() {
    return compareTo(VERIFY_CA) >= 0;
  }

  /** True when the certificate must name the host. */
  public boolean verifiesHost() {
    return this == VERIFY_FULL;
  }

  /** libpq's name. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
