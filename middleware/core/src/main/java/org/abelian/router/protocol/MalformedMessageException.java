package org.abelian.router.protocol;

/**
 * What a message says makes no sense, although its length is right: the sender gets an error, and
 * the dialogue goes on.
 */
public final class MalformedMessageException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** With PostgreSQL's text for the sender. */
  public MalformedMessageException(String message) {
    super(message);
  }

  static MalformedMessageException tooShort() {
    return new MalformedMessageException("insufficient data left in message");
  }
}
