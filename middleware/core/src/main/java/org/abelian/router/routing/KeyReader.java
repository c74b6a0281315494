package org.abelian.router.routing;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.placement.KeyExpression;
import org.abelian.router.placement.KeyKind;
import org.abelian.router.placement.KeySink;
import org.abelian.router.placement.KeyText;
import org.abelian.router.placement.SpecialText;
import org.abelian.router.placement.Utf8;
import org.abelian.router.protocol.BigEndian;

/**
 * Reads values of a distribution column. The same key gives the same canonical value in whatever
 * type and format it is bound. What of it counts goes to a sink, such as a placement function.
 *
 * <p>It may accept forms that PostgreSQL rejects (the node then says so) but never reads an
 * accepted form as another value.
 */
final class KeyReader {
  /** The value is NULL. */
  static final int NULL = -1;

  /** No value of the column equals it, such as 1.5 for an integer column. */
  static final int NO_MATCH = -2;

  /** How these types become integers when they are assigned to one. */
  private static final Map<Integer, RoundingMode> ROUNDING =
      Map.of(
          PgType.NUMERIC, RoundingMode.HALF_UP,
          PgType.FLOAT4, RoundingMode.HALF_EVEN,
          PgType.FLOAT8, RoundingMode.HALF_EVEN);

  private final KeyKind kind;
  private final KeyExpression expression;
  private final int lengthMax;
  private final boolean rounds;

  /** For values that are compared with the column. */
  KeyReader(KeyColumn column) {
    this(column, Integer.MAX_VALUE, false);
  }

  /**
   * For values that a cast leaves as they are, and that are then stored in a varchar column, which
   * cuts blanks beyond its length.
   *
   * @param lengthMax in characters
   */
  KeyReader(KeyColumn column, int lengthMax) {
    this(column, lengthMax, false);
  }

  /** For values that are stored as they are given: an integer column rounds them. */
  static KeyReader ofStored(KeyColumn column) {
    return new KeyReader(column, Integer.MAX_VALUE, true);
  }

  private KeyReader(KeyColumn column, int lengthMax, boolean rounds) {
    this.kind = column.key();
    this.expression = column.expression();
    this.lengthMax = lengthMax;
    this.rounds = rounds;
  }

  /**
   * What the sink makes of the value, or {@link #NULL} or {@link #NO_MATCH}.
   *
   * @param oid the parameter's type
   * @throws AbelianException when the value cannot be read as a key
   */
  int read(BoundValues values, int parameter, int oid, KeySink sink) {
    if (values.length(parameter) < 0) {
      return NULL;
    }
    switch (kind) {
      case INTEGER:
        return integer(values, parameter, oid, sink);
      case TEXT:
      case BLANK_PADDED:
        return text(values, parameter, oid, sink);
      default:
        return special(values, parameter, oid, sink);
    }
  }

  private int of(long key, KeySink sink) {
    return sink.number(expression == null ? key : expression.of(key));
  }

  private int integer(BoundValues values, int parameter, int oid, KeySink sink) {
    byte[] buffer = values.buffer(parameter);
    int offset = values.offset(parameter);
    int length = values.length(parameter);
    if (values.isBinary(parameter)) {
      return binaryInteger(buffer, offset, length, oid, sink);
    }
    switch (oid) {
      case PgType.FLOAT8:
        return decimal(NumberText.parseDouble(ascii(buffer, offset, length)), oid, sink);
      case PgType.FLOAT4:
        return decimal(NumberText.parseFloat(ascii(buffer, offset, length)), oid, sink);
      default:
        return textInteger(buffer, offset, length, oid, sink);
    }
  }

  private int binaryInteger(byte[] buffer, int offset, int length, int oid, KeySink sink) {
    switch (oid) {
      case PgType.INT4:
        require(length, 4);
        return of(BigEndian.int4(buffer, offset), sink);
      case PgType.INT8:
        require(length, 8);
        return of(BigEndian.int8(buffer, offset), sink);
      case PgType.INT2:
        return of(bytes(buffer, offset, length, 2).getShort(), sink);
      case PgType.NUMERIC:
        return decimal(BinaryNumeric.read(buffer, offset, length), oid, sink);
      case PgType.FLOAT8:
        return decimal(NumberText.exact(bytes(buffer, offset, length, 8).getDouble()), oid, sink);
      case PgType.FLOAT4:
        return decimal(NumberText.exact(bytes(buffer, offset, length, 4).getFloat()), oid, sink);
      default:
        throw unsupportedType(oid);
    }
  }

  /** Digits with a sign, the usual case, without allocating; anything longer goes the long way. */
  private int textInteger(byte[] buffer, int offset, int length, int oid, KeySink sink) {
    int at = offset;
    int end = offset + length;
    boolean negative = length > 1 && buffer[at] == '-';
    if (negative) {
      at++;
    }
    if (end - at > 18 || end == at) {
      return decimal(NumberText.parse(ascii(buffer, offset, length)), oid, sink);
    }
    long value = 0;
    for (; at < end; at++) {
      int digit = buffer[at] - '0';
      if (digit < 0 || digit > 9) {
        return decimal(NumberText.parse(ascii(buffer, offset, length)), oid, sink);
      }
      value = value * 10 + digit;
    }
    return of(negative ? -value : value, sink);
  }

  private int decimal(BigDecimal value, int oid, KeySink sink) {
    boolean whole = value != null && value.stripTrailingZeros().scale() <= 0;
    if (value == null || !whole && !(rounds && ROUNDING.containsKey(oid))) {
      return NO_MATCH;
    }
    BigDecimal key = whole ? value : value.setScale(0, ROUNDING.get(oid));
    return of(key.toBigInteger().longValue(), sink);
  }

  private int text(BoundValues values, int parameter, int oid, KeySink sink) {
    byte[] text = null;
    switch (oid) {
      case PgType.TEXT:
      case PgType.VARCHAR:
      case PgType.BPCHAR:
      case PgType.UNKNOWN:
      case PgType.UNSPECIFIED:
        if (!values.charset().equals(StandardCharsets.UTF_8)) {
          text =
              new String(
                      values.buffer(parameter),
                      values.offset(parameter),
                      values.length(parameter),
                      values.charset())
                  .getBytes(StandardCharsets.UTF_8);
        }
        break;
      case PgType.INT2:
      case PgType.INT4:
      case PgType.INT8:
        text = integerAsText(values, parameter);
        break;
      default:
        throw unsupportedType(oid);
    }
    boolean ignoresBlanks = kind == KeyKind.BLANK_PADDED || oid == PgType.BPCHAR;
    return text == null
        ? text(
            values.buffer(parameter),
            values.offset(parameter),
            values.length(parameter),
            ignoresBlanks,
            sink)
        : text(text, 0, text.length, ignoresBlanks, sink);
  }

  private int text(byte[] buffer, int offset, int fullLength, boolean ignoresBlanks, KeySink sink) {
    int length = ignoresBlanks ? KeyText.withoutBlanks(buffer, offset, fullLength) : fullLength;
    if (length > lengthMax) {
      length = storedLength(buffer, offset, length);
    }
    if (expression != null) {
      length = expression.lengthOf(buffer, offset, length);
      if (kind == KeyKind.BLANK_PADDED) {
        length = KeyText.withoutBlanks(buffer, offset, length);
      }
    }
    return sink.bytes(buffer, offset, length);
  }

  /** varchar(n) stores n characters when all others are blanks, and refuses the value when not. */
  private int storedLength(byte[] buffer, int offset, int length) {
    int kept = Utf8.prefix(buffer, offset, length, lengthMax);
    for (int at = kept; at < length; at++) {
      if (buffer[offset + at] != ' ') {
        return length;
      }
    }
    return kept;
  }

  private int special(BoundValues values, int parameter, int oid, KeySink sink) {
    byte[] buffer = values.buffer(parameter);
    int offset = values.offset(parameter);
    int length = values.length(parameter);
    if (!values.isBinary(parameter)) {
      String text = ascii(buffer, offset, length).strip();
      switch (kind) {
        case UUID:
          return uuid(SpecialText.uuid(text), sink);
        case BOOLEAN:
          return of(SpecialText.bool(text) ? 1 : 0, sink);
        default:
          return of(SpecialText.date(text), sink);
      }
    }
    if (kind == KeyKind.UUID && oid == PgType.UUID) {
      return uuid(bytes(buffer, offset, length, 16), sink);
    }
    if (kind == KeyKind.BOOLEAN && oid == PgType.BOOL) {
      return of(bytes(buffer, offset, length, 1).get() == 0 ? 0 : 1, sink);
    }
    if (kind == KeyKind.DATE && oid == PgType.DATE) {
      return of(bytes(buffer, offset, length, 4).getInt(), sink);
    }
    throw unsupportedType(oid);
  }

  private int uuid(ByteBuffer bytes, KeySink sink) {
    byte[] canonical = new byte[16];
    bytes.get(canonical);
    return sink.bytes(canonical, 0, canonical.length);
  }

  /** An integer becomes text by its digits, however it is written. */
  private static byte[] integerAsText(BoundValues values, int parameter) {
    byte[] buffer = values.buffer(parameter);
    int offset = values.offset(parameter);
    int length = values.length(parameter);
    String digits;
    if (!values.isBinary(parameter)) {
      BigDecimal value = NumberText.parse(ascii(buffer, offset, length));
      digits = value == null ? "" : value.toBigInteger().toString();
    } else if (length == 2) {
      digits = Short.toString(bytes(buffer, offset, length, 2).getShort());
    } else if (length == 4) {
      digits = Integer.toString(bytes(buffer, offset, length, 4).getInt());
    } else {
      digits = Long.toString(bytes(buffer, offset, length, 8).getLong());
    }
    return digits.getBytes(StandardCharsets.US_ASCII);
  }

  private static String ascii(byte[] buffer, int offset, int length) {
    return new String(buffer, offset, length, StandardCharsets.US_ASCII);
  }

  private static ByteBuffer bytes(byte[] buffer, int offset, int length, int expected) {
    require(length, expected);
    return ByteBuffer.wrap(buffer, offset, length);
  }

  private static void require(int length, int expected) {
    if (length != expected) {
      throw new AbelianException(
          SqlState.INVALID_BINARY_REPRESENTATION,
          "incorrect binary data format: a key of "
              + length
              + " bytes where "
              + expected
              + " are due",
          null);
    }
  }

  private static AbelianException unsupportedType(int oid) {
    return AbelianException.unsupported(
        "a distribution key cannot be read from a parameter of type OID " + oid,
        "Bind the key in the type of its column, or cast the parameter to it.");
  }
}
