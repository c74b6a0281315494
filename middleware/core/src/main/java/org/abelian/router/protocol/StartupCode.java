package org.abelian.router.protocol;

/** The number that the first message of a connection carries in place of a type. */
public final class StartupCode {
  /** Version 3.0: a session follows. */
  public static final int PROTOCOL_3_0 = 196608;

  public static final int CANCEL_REQUEST = 80877102;
  public static final int SSL_REQUEST = 80877103;
  public static final int GSS_ENCRYPTION_REQUEST = 80877104;

  private StartupCode() {}
}
