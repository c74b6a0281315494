package org.abelian.router.routing;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.abelian.router.catalog.KeyKind;
import org.abelian.router.catalog.KeyType;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/**
 * Finds the partition of a value of a distribution column. The same key gives the same partition in
 * whatever type and format it is bound, because it is canonicalised by the column's type.
 *
 * <p>It may accept forms that PostgreSQL rejects (the node then says so) but never reads an
 * accepted form as another value.
 */
final class KeyReader {
  /** The value is NULL. */
  static final int NULL = -1;

  /** No value of the column equals it, such as 1.5 for an integer column. */
  static final int NO_MATCH = -2;

  /** What the value is for. */
  enum Use {
    /** Compared with the column. */
    COMPARE,
    /** Stored in the column, which cuts blanks beyond its length. */
    STORE
  }

  private final KeyType type;
  private final int partitionCount;
  private final Use use;

  KeyReader(KeyType type, int partitionCount, Use use) {
    this.type = type;
    this.partitionCount = partitionCount;
    this.use = use;
  }

  /**
   * The partition, or {@link #NULL} or {@link #NO_MATCH}.
   *
   * @param oid the parameter's type
   * @throws AbelianException when the value cannot be read as a key
   */
  int partition(BoundValues values, int parameter, int oid) {
    int length = values.length(parameter);
    if (length < 0) {
      return NULL;
    }
    byte[] buffer = values.buffer(parameter);
    int offset = values.offset(parameter);
    switch (type.kind()) {
      case INTEGER:
        return values.isBinary(parameter)
            ? binaryInteger(buffer, offset, length, oid)
            : textInteger(buffer, offset, length);
      case TEXT:
      case BLANK_PADDED:
        return text(values, parameter, oid);
      default:
        return special(values, parameter, oid);
    }
  }

  private int of(long key) {
    return PartitionHash.partition(key, partitionCount);
  }

  private int binaryInteger(byte[] buffer, int offset, int length, int oid) {
    switch (oid) {
      case PgType.INT4:
        return of(bytes(buffer, offset, length, 4).getInt());
      case PgType.INT8:
        return of(bytes(buffer, offset, length, 8).getLong());
      case PgType.INT2:
        return of(bytes(buffer, offset, length, 2).getShort());
      case PgType.NUMERIC:
        return decimal(BinaryNumeric.read(buffer, offset, length));
      case PgType.FLOAT8:
        return floating(bytes(buffer, offset, length, 8).getDouble());
      case PgType.FLOAT4:
        return floating(bytes(buffer, offset, length, 4).getFloat());
      default:
        throw unsupportedType(oid);
    }
  }

  /** Digits with a sign, the usual case, without allocating; anything longer goes the long way. */
  private int textInteger(byte[] buffer, int offset, int length) {
    int at = offset;
    int end = offset + length;
    boolean negative = length > 1 && buffer[at] == '-';
    if (negative) {
      at++;
    }
    if (end - at > 18 || end == at) {
      return unusualInteger(buffer, offset, length);
    }
    long value = 0;
    for (; at < end; at++) {
      int digit = buffer[at] - '0';
      if (digit < 0 || digit > 9) {
        return unusualInteger(buffer, offset, length);
      }
      value = value * 10 + digit;
    }
    return of(negative ? -value : value);
  }

  private int unusualInteger(byte[] buffer, int offset, int length) {
    return decimal(NumberText.parse(new String(buffer, offset, length, StandardCharsets.US_ASCII)));
  }

  private int floating(double value) {
    return decimal(Double.isFinite(value) ? new BigDecimal(value) : null);
  }

  private int decimal(BigDecimal value) {
    if (value == null || value.stripTrailingZeros().scale() > 0) {
      return NO_MATCH;
    }
    return of(value.toBigInteger().longValue());
  }

  private int text(BoundValues values, int parameter, int oid) {
    byte[] buffer = values.buffer(parameter);
    int offset = values.offset(parameter);
    int length = values.length(parameter);
    if (values.isBinary(parameter)) {
      switch (oid) {
        case PgType.INT2:
        case PgType.INT4:
        case PgType.INT8:
          buffer = integerAsText(buffer, offset, length);
          offset = 0;
          length = buffer.length;
          break;
        case PgType.TEXT:
        case PgType.VARCHAR:
        case PgType.BPCHAR:
        case PgType.UNKNOWN:
        case PgType.UNSPECIFIED:
          break;
        default:
          throw unsupportedType(oid);
      }
    } else if (!values.charset().equals(StandardCharsets.UTF_8)) {
      buffer =
          new String(buffer, offset, length, values.charset()).getBytes(StandardCharsets.UTF_8);
      offset = 0;
      length = buffer.length;
    }
    if (type.kind() == KeyKind.BLANK_PADDED || oid == PgType.BPCHAR) {
      while (length > 0 && buffer[offset + length - 1] == ' ') {
        length--;
      }
    }
    if (use == Use.STORE && type.lengthMax() >= 0 && length > type.lengthMax()) {
      length = storedLength(buffer, offset, length);
    }
    return of(PartitionHash.ofBytes(buffer, offset, length));
  }

  /** varchar(n) stores n characters when all others are blanks, and refuses the value when not. */
  private int storedLength(byte[] buffer, int offset, int length) {
    int characters = 0;
    int kept = 0;
    for (; kept < length; kept++) {
      boolean startsCharacter = (buffer[offset + kept] & 0xC0) != 0x80;
      if (startsCharacter && ++characters > type.lengthMax()) {
        break;
      }
    }
    for (int at = kept; at < length; at++) {
      if (buffer[offset + at] != ' ') {
        return length;
      }
    }
    return kept;
  }

  private int special(BoundValues values, int parameter, int oid) {
    byte[] buffer = values.buffer(parameter);
    int offset = values.offset(parameter);
    int length = values.length(parameter);
    if (!values.isBinary(parameter)) {
      String text = new String(buffer, offset, length, StandardCharsets.US_ASCII).strip();
      switch (type.kind()) {
        case UUID:
          return uuid(SpecialText.uuid(text));
        case BOOLEAN:
          return of(SpecialText.bool(text) ? 1 : 0);
        default:
          return of(SpecialText.date(text));
      }
    }
    if (type.kind() == KeyKind.UUID && oid == PgType.UUID) {
      return uuid(bytes(buffer, offset, length, 16));
    }
    if (type.kind() == KeyKind.BOOLEAN && oid == PgType.BOOL) {
      return of(bytes(buffer, offset, length, 1).get() == 0 ? 0 : 1);
    }
    if (type.kind() == KeyKind.DATE && oid == PgType.DATE) {
      return of(bytes(buffer, offset, length, 4).getInt());
    }
    throw unsupportedType(oid);
  }

  private int uuid(ByteBuffer bytes) {
    byte[] canonical = new byte[16];
    bytes.get(canonical);
    return of(PartitionHash.ofBytes(canonical, 0, canonical.length));
  }

  private static byte[] integerAsText(byte[] buffer, int offset, int length) {
    ByteBuffer bytes = ByteBuffer.wrap(buffer, offset, length);
    long value =
        length == 2
            ? bytes.getShort()
            : length == 4 ? bytes.getInt() : bytes(buffer, offset, length, 8).getLong();
    return Long.toString(value).getBytes(StandardCharsets.US_ASCII);
  }

  private static ByteBuffer bytes(byte[] buffer, int offset, int length, int expected) {
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
    return ByteBuffer.wrap(buffer, offset, length);
  }

  private static AbelianException unsupportedType(int oid) {
    return AbelianException.unsupported(
        "a distribution key cannot be read from a binary parameter of type OID " + oid,
        "Bind the key in the type of its column, or cast the parameter to it.");
  }
}
