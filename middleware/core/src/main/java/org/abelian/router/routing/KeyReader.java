package org.abelian.router.routing;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.error.AbelianException;
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

  /** Only a node knows what the value means. */
  static final int UNREADABLE = -4;

  /** The bytes that the type name keeps of a text. */
  private static final int NAME_MAX = 63;

  /** How these types become integers when they are assigned to one. */
  private static final Map<Integer, RoundingMode> ROUNDING =
      Map.of(
          PgType.NUMERIC, RoundingMode.HALF_UP,
          PgType.FLOAT4, RoundingMode.HALF_EVEN,
          PgType.FLOAT8, RoundingMode.HALF_EVEN);

  private final KeyKind kind;
  private final KeyExpression expression;
  private final int limit;
  private final boolean rounds;

  /** For values that are compared with the column. */
  KeyReader(KeyColumn column) {
    this(column, Integer.MAX_VALUE, false);
  }

  /**
   * For values that a cast leaves as they are, and that are then stored in a column which keeps a
   * part: varchar cuts blanks beyond its length, numeric rounds.
   *
   * @param limit how many characters, digits or bytes are kept: {@link AssignmentCast}
   */
  KeyReader(KeyColumn column, int limit) {
    this(column, limit, false);
  }

  /** For values that are stored as they are given: an integer column rounds them. */
  static KeyReader ofStored(KeyColumn column) {
    return new KeyReader(column, Integer.MAX_VALUE, true);
  }

  private KeyReader(KeyColumn column, int limit, boolean rounds) {
    this.kind = column.key();
    this.expression = column.expression();
    this.limit = limit;
    this.rounds = rounds;
  }

  /**
   * True when a value of that type which equals one of the column has the same canonical value. For
   * others only a node knows.
   */
  boolean reads(int oid) {
    boolean open =
        oid == PgType.UNSPECIFIED || oid == PgType.UNKNOWN || oid >= PgType.FIRST_OF_USERS;
    return switch (kind) {
      case INTEGER, UUID, BOOLEAN -> true; // Or it is refused.
      case TEXT, BLANK_PADDED -> oid < PgType.FIRST_OF_USERS; // One of theirs may ignore blanks.
      case DATE -> open || oid == PgType.DATE;
      case TIMESTAMP, TIMESTAMPTZ, TIME -> open || MomentKey.reads(kind, oid);
      case FLOAT, DECIMAL -> open || NumberKey.reads(kind, oid);
      case BYTEA -> open || oid == PgType.BYTEA;
    };
  }

  /** True when what a text means may depend on settings of the session. */
  boolean dependsOnSettings() {
    return switch (kind) {
      case DATE, TIMESTAMP, TIMESTAMPTZ, TIME, BYTEA -> true;
      default -> false;
    };
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
      case TIMESTAMP:
      case TIMESTAMPTZ:
      case TIME:
      case FLOAT:
      case DECIMAL:
      case BYTEA:
        return unnamed(values, parameter, oid, sink);
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
        return decimal(NumberText.parseDouble(ValueBytes.ascii(buffer, offset, length)), oid, sink);
      case PgType.FLOAT4:
        return decimal(NumberText.parseFloat(ValueBytes.ascii(buffer, offset, length)), oid, sink);
      default:
        return textInteger(buffer, offset, length, oid, sink);
    }
  }

  private int binaryInteger(byte[] buffer, int offset, int length, int oid, KeySink sink) {
    switch (oid) {
      case PgType.INT4:
        ValueBytes.require(length, 4);
        return of(BigEndian.int4(buffer, offset), sink);
      case PgType.INT8:
        ValueBytes.require(length, 8);
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
        throw ValueBytes.unsupportedType(oid);
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
      return decimal(NumberText.parse(ValueBytes.ascii(buffer, offset, length)), oid, sink);
    }
    long value = 0;
    for (; at < end; at++) {
      int digit = buffer[at] - '0';
      if (digit < 0 || digit > 9) {
        return decimal(NumberText.parse(ValueBytes.ascii(buffer, offset, length)), oid, sink);
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
      case PgType.NAME:
        if (oid == PgType.NAME && values.length(parameter) > NAME_MAX) {
          throw ValueBytes.unsupportedType(oid); // A node cuts it.
        }
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
        throw ValueBytes.unsupportedType(oid);
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
    if (length > limit) {
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
    int kept = Utf8.prefix(buffer, offset, length, limit);
    for (int at = kept; at < length; at++) {
      if (buffer[offset + at] != ' ') {
        return length;
      }
    }
    return kept;
  }

  /** Of kinds that have nothing but the hash. */
  private int unnamed(BoundValues values, int parameter, int oid, KeySink sink) {
    if (!reads(oid)) {
      throw ValueBytes.unsupportedType(oid);
    }
    return switch (kind) {
      case FLOAT -> bytes(NumberKey.floating(values, parameter, oid, limit), sink);
      case DECIMAL -> bytes(NumberKey.decimal(values, parameter, oid, limit), sink);
      case BYTEA -> byteArray(values, parameter, sink);
      default -> bytes(MomentKey.of(kind, values, parameter, oid, limit), sink);
    };
  }

  private static int byteArray(BoundValues values, int parameter, KeySink sink) {
    byte[] buffer = values.buffer(parameter);
    int offset = values.offset(parameter);
    int length = values.length(parameter);
    return values.isBinary(parameter)
        ? sink.bytes(buffer, offset, length)
        : bytes(BytesKey.read(buffer, offset, length), sink);
  }

  private static int bytes(byte[] canonical, KeySink sink) {
    return sink.bytes(canonical, 0, canonical.length);
  }

  private int special(BoundValues values, int parameter, int oid, KeySink sink) {
    byte[] buffer = values.buffer(parameter);
    int offset = values.offset(parameter);
    int length = values.length(parameter);
    if (!values.isBinary(parameter)) {
      String text = ValueBytes.ascii(buffer, offset, length).strip();
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
    throw ValueBytes.unsupportedType(oid);
  }

  private int uuid(ByteBuffer bytes, KeySink sink) {
    byte[] canonical = new byte[16];
    bytes.get(canonical);
    return bytes(canonical, sink);
  }

  /** An integer becomes text by its digits, however it is written. */
  private static byte[] integerAsText(BoundValues values, int parameter) {
    byte[] buffer = values.buffer(parameter);
    int offset = values.offset(parameter);
    int length = values.length(parameter);
    String digits;
    if (!values.isBinary(parameter)) {
      BigDecimal value = NumberText.parse(ValueBytes.ascii(buffer, offset, length));
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

  private static ByteBuffer bytes(byte[] buffer, int offset, int length, int expected) {
    ValueBytes.require(length, expected);
    return ByteBuffer.wrap(buffer, offset, length);
  }
}
