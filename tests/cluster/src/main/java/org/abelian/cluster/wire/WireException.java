package org.abelian.cluster.wire;

import java.io.IOException;

/** The server refused the connection with an ErrorResponse. */
public final class WireException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient Message error;

  WireException(Message error) {
    super(error.toString());
    this.error = error;
  }

  public Message error() {
    return error;
  }
}
