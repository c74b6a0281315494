package org.abelian.router.protocol;

import java.io.IOException;

/**
 * What a client says about the channel is not what the server sees: somebody may stand between
 * them.
 */
public final class ChannelBindingException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String detail;

  /**
   * @param detail for the client; null when the message says it all
   */
  ChannelBindingException(String message, String detail) {
    super(message);
    this.detail = detail;
  }

  /** More about it, or null. */
  public String detail() {
    return detail;
  }
}
