package org.abelian.router.tls;

import java.io.IOException;

/**
 * TLS cannot be had as it was asked for: a file or a setting is not usable, or the other side is
 * not what it must be.
 */
public final class TlsException extends IOException {
  private static final long serialVersionUID = 1L;

  /** With what is wrong. */
  public TlsException(String message) {
    super(message);
  }

  /** With what is wrong, and why. */
  public TlsException(String message, Throwable cause) {
    super(message, cause);
  }
}
