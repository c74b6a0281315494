package org.abelian.router.protocol;

/** Type bytes of the messages that a client sends. */
public final class FrontendType {
  public static final byte BIND = 'B';
  public static final byte CLOSE = 'C';
  public static final byte COPY_DATA = 'd';
  public static final byte COPY_DONE = 'c';
  public static final byte COPY_FAIL = 'f';
  public static final byte DESCRIBE = 'D';
  public static final byte EXECUTE = 'E';
  public static final byte FLUSH = 'H';
  public static final byte FUNCTION_CALL = 'F';
  public static final byte PARSE = 'P';
  public static final byte PASSWORD = 'p';
  public static final byte QUERY = 'Q';
  public static final byte SYNC = 'S';
  public static final byte TERMINATE = 'X';

  /** What PostgreSQL takes of messages that carry values or texts, length word included. */
  private static final int LARGEST = 0x3ffffffe;

  /** The same for those that carry names only. */
  private static final int LARGEST_OF_NAMES = 10_000;

  private FrontendType() {}

  /**
   * The greatest length of a message of that type once the client is known, length word included; 0
   * when there is no such type.
   */
  public static int longest(byte type) {
    return switch (type) {
      case QUERY, PARSE, BIND, FUNCTION_CALL, COPY_DATA -> LARGEST;
      case DESCRIBE, EXECUTE, CLOSE, SYNC, FLUSH, TERMINATE, COPY_DONE, COPY_FAIL ->
          LARGEST_OF_NAMES;
      default -> 0;
    };
  }
}
