package org.abelian.router.placement;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/** Keys as the catalogue writes them: in PostgreSQL's output form. */
public final class KeyText {
  private KeyText() {}

  /**
   * The canonical value.
   *
   * @throws AbelianException 22P02 when it is none of that kind
   */
  public static KeyValue parse(KeyKind kind, String text) {
    return switch (kind) {
      case INTEGER -> new KeyValue.Number(integer(text));
      case BOOLEAN -> new KeyValue.Number(SpecialText.bool(text) ? 1 : 0);
      case DATE -> new KeyValue.Number(SpecialText.date(text));
      case UUID -> new KeyValue.Bytes(SpecialText.uuid(text).array());
      case TEXT -> new KeyValue.Bytes(text.getBytes(StandardCharsets.UTF_8));
      case TIMESTAMP, TIMESTAMPTZ, TIME, FLOAT, DECIMAL, BYTEA ->
          throw AbelianException.internal("keys of this kind have no text: " + kind, null);
      case BLANK_PADDED -> {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        yield new KeyValue.Bytes(Arrays.copyOf(bytes, withoutBlanks(bytes, 0, bytes.length)));
      }
    };
  }

  /** The value in a form that PostgreSQL reads as that kind. */
  public static String of(KeyKind kind, KeyValue value) {
    if (value instanceof KeyValue.Bytes bytes) {
      return kind == KeyKind.UUID
          ? HexFormat.of().formatHex(bytes.value())
          : new String(bytes.value(), StandardCharsets.UTF_8);
    }
    long number = ((KeyValue.Number) value).value();
    return switch (kind) {
      case BOOLEAN -> number == 0 ? "false" : "true";
      case DATE -> SpecialText.date(number);
      default -> Long.toString(number);
    };
  }

  /** The length without the blanks at the end, which char(n) ignores. */
  public static int withoutBlanks(byte[] buffer, int offset, int length) {
    int kept = length;
    while (kept > 0 && buffer[offset + kept - 1] == ' ') {
      kept--;
    }
    return kept;
  }

  private static long integer(String text) {
    try {
      return new BigInteger(text).longValue();
    } catch (NumberFormatException malformed) {
      throw new AbelianException(
          SqlState.INVALID_TEXT_REPRESENTATION,
          "invalid input syntax for an integer key: \"" + text + "\"",
          null);
    }
  }
}
