package org.abelian.router.pool;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The router's key at a node, for one run of the node and one database. With it the router seals
 * what it says on its clients' connections, so that the node can tell this from what they say:
 * docs/security.md. Safe for several threads.
 */
public final class SealKey {
  private static final String ALGORITHM = "HmacSHA256";

  /** Half of the code is enough, and is what a seal carries. */
  private static final int BYTES = 16;

  private final String run;
  private final Mac mac;
  private volatile boolean forgotten;

  /**
   * A key that the node has given.
   *
   * @param connection the name of a connection of that run, to that database
   */
  public SealKey(String connection, byte[] key) {
    run = run(connection);
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  private static String run(String connection) {
    return connection.substring(0, connection.indexOf('.') + 1);
  }

  /** Whether it is good for a connection of that name: one of the same run and database. */
  public boolean fits(String connection) {
    return !forgotten && connection.startsWith(run);
  }

  /** The node has said that it does not know it any more. */
  public void forget() {
    forgotten = true;
  }

  /** The seal for a call of a function with these arguments, over the connection of that name. */
  String seal(String connection, String function, String... arguments) {
    StringBuilder sealed = new StringBuilder(128);
    sealed.append(connection).append('\0').append(function).append('\0');
    for (String argument : arguments) {
      sealed.append(argument).append('\0');
    }
    byte[] code = copy().doFinal(sealed.toString().getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(code, 0, BYTES);
  }

  private Mac copy() {
    try {
      return (Mac) mac.clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("the platform's " + ALGORITHM + " can be copied", e);
    }
  }
}
