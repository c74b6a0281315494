package org.abelian.router.protocol;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;

/** Texts of clients, which must be UTF-8. */
public final class Utf8 {
  /** What Java reads in the place of bytes that are none. */
  private static final char REPLACEMENT = '\uFFFD';

  private static final int PIECE = 4096;

  private Utf8() {}

  /**
   * The first bytes that are no UTF-8, as PostgreSQL writes them ({@code 0xc3 0x28}); null when all
   * are.
   *
   * @param read what Java has read of them
   */
  public static String malformed(byte[] array, int from, int to, String read) {
    if (read.indexOf(REPLACEMENT) < 0) {
      return null;
    }
    ByteBuffer bytes = ByteBuffer.wrap(array, from, to - from);
    var decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    CharBuffer piece = CharBuffer.allocate(PIECE);
    CoderResult result;
    do {
      result = decoder.decode(bytes, piece.clear(), true);
    } while (result.isOverflow());
    return result.isError() ? bytes(array, bytes.position(), to) : null;
  }

  /** As many as the first one announces. */
  private static String bytes(byte[] array, int at, int to) {
    int first = array[at] & 0xff;
    int length = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 && first < 0xf0 ? 3 : 1;
    length = first >= 0xc0 && first < 0xe0 ? 2 : length;
    StringJoiner text = new StringJoiner(" ");
    for (int i = at; i < Math.min(at + length, to); i++) {
      text.add("0x%02x".formatted(array[i] & 0xff));
    }
    return text.toString();
  }
}
