package org.abelian.router.protocol;

import java.nio.charset.StandardCharsets;

/** Zero-terminated strings within byte arrays. */
public final class CString {
  /** PostgreSQL's tables of prepared statements and portals keep so many bytes of a name. */
  private static final int LONGEST_NAME = 63;

  private CString() {}

  /**
   * The index of the zero that ends the string at an index.
   *
   * @param limit where the message ends
   * @throws MalformedMessageException when there is none before the limit
   */
  public static int end(byte[] array, int index, int limit) {
    int at = index;
    while (at < limit) {
      if (array[at] == 0) {
        return at;
      }
      at++;
    }
    throw new MalformedMessageException("invalid string in message");
  }

  /** The name of a prepared statement or portal between an index and its zero, cut as there. */
  public static String name(byte[] array, int index, int zero) {
    return read(array, index, nameEnd(index, zero));
  }

  /** Where such a name ends when it is cut. */
  public static int nameEnd(int index, int zero) {
    return Math.min(zero, index + LONGEST_NAME);
  }

  /** The string between an index and its zero. */
  public static String read(byte[] array, int index, int zero) {
    return zero == index ? "" : new String(array, index, zero - index, StandardCharsets.UTF_8);
  }
}
