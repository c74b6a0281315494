package org.abelian.router.protocol;

/**
 * Looks whether a client's message has the parts that its type asks for, and nothing behind them,
 * before anybody reads it. The parts are PostgreSQL's, and so are the complaints. Bind and
 * FunctionCall are left to {@link BindMessage} and the nodes.
 */
public final class FrontendMessages {
  private FrontendMessages() {}

  /**
   * Checks the message at an index.
   *
   * @throws MalformedMessageException when it is not as it should be
   */
  public static void check(byte[] array, int at, int length) {
    int body = at + 5;
    int end = at + length;
    switch (array[at]) {
      case FrontendType.QUERY -> requireEnd(afterString(array, body, end), end);
      case FrontendType.PARSE -> parse(array, body, end);
      case FrontendType.BIND -> bind(array, body, end);
      case FrontendType.DESCRIBE -> target("DESCRIBE", array, body, end);
      case FrontendType.CLOSE -> target("CLOSE", array, body, end);
      case FrontendType.EXECUTE -> requireEnd(after(4, afterString(array, body, end), end), end);
      case FrontendType.SYNC, FrontendType.FLUSH -> requireEnd(body, end);
      default -> {
        // Read where it is needed.
      }
    }
  }

  private static void parse(byte[] array, int body, int end) {
    int count = afterString(array, afterString(array, body, end), end);
    int types = after(2, count, end);
    requireEnd(after(4 * (BigEndian.int2(array, count) & 0xffff), types, end), end);
  }

  /** To its end: who finds a mistake later has told nodes of the message already. */
  private static void bind(byte[] array, int body, int end) {
    int at = afterNumbers(array, afterString(array, afterString(array, body, end), end), end);
    int values = after(2, at, end);
    for (int left = BigEndian.int2(array, at) & 0xffff; left > 0; left--) {
      int value = after(4, values, end);
      int size = BigEndian.int4(array, values);
      if (size < -1) {
        throw MalformedMessageException.tooShort();
      }
      values = after(Math.max(0, size), value, end);
    }
    requireEnd(afterNumbers(array, values, end), end);
  }

  /** After so many numbers of two bytes as the first one says. */
  private static int afterNumbers(byte[] array, int at, int end) {
    int numbers = after(2, at, end);
    return after(2 * (BigEndian.int2(array, at) & 0xffff), numbers, end);
  }

  private static void target(String name, byte[] array, int body, int end) {
    requireEnd(afterString(array, after(1, body, end), end), end);
    if (array[body] != 'S' && array[body] != 'P') {
      throw new MalformedMessageException(
          "invalid " + name + " message subtype " + (array[body] & 255));
    }
  }

  private static int afterString(byte[] array, int at, int end) {
    return CString.end(array, at, end) + 1;
  }

  private static int after(int bytes, int at, int end) {
    if (bytes > end - at) {
      throw MalformedMessageException.tooShort();
    }
    return at + bytes;
  }

  private static void requireEnd(int at, int end) {
    if (at != end) {
      throw new MalformedMessageException("invalid message format");
    }
  }
}
