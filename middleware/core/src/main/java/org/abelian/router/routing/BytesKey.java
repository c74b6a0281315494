package org.abelian.router.routing;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/** A bytea as text, in both forms that PostgreSQL reads. */
final class BytesKey {
  private BytesKey() {}

  static byte[] read(byte[] buffer, int offset, int length) {
    if (length >= 2 && buffer[offset] == '\\' && buffer[offset + 1] == 'x') {
      String digits =
          new String(buffer, offset + 2, length - 2, StandardCharsets.US_ASCII)
              .replaceAll("[ \n\t\r]", "");
      try {
        return HexFormat.of().parseHex(digits);
      } catch (IllegalArgumentException malformed) {
        throw malformed();
      }
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(length);
    int end = offset + length;
    int at = offset;
    while (at < end) {
      if (buffer[at] < 0) {
        throw AbelianException.unsupported(
            "a distribution key of type bytea cannot be read from letters that are not in ASCII",
            "Write it in hexadecimal, as in '\\x00ff', or bind it in binary.");
      }
      if (buffer[at] != '\\') {
        bytes.write(buffer[at++]);
      } else if (at + 1 < end && buffer[at + 1] == '\\') {
        bytes.write('\\');
        at += 2;
      } else {
        bytes.write(octal(buffer, at + 1, end));
        at += 4;
      }
    }
    return bytes.toByteArray();
  }

  private static int octal(byte[] buffer, int start, int end) {
    int value = 0;
    for (int at = start; at < start + 3; at++) {
      if (at >= end || buffer[at] < '0' || buffer[at] > '7') {
        throw malformed();
      }
      value = value * 8 + buffer[at] - '0';
    }
    if (value > 255) {
      throw malformed();
    }
    return value;
  }

  private static AbelianException malformed() {
    return new AbelianException(
        SqlState.INVALID_TEXT_REPRESENTATION, "invalid input syntax for type bytea", null);
  }
}
