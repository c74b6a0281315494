package org.abelian.router.protocol;

import java.io.IOException;

/** A peer sent what the protocol does not allow; the connection cannot be used any more. */
public final class ProtocolException extends IOException {
  private static final long serialVersionUID = 1L;

  /** With a text for the peer or the log. */
  public ProtocolException(String message) {
    super(message);
  }
}
