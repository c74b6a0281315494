package org.abelian.router.routing;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.abelian.router.placement.KeyKind;
import org.abelian.router.protocol.BigEndian;

/** Values of numeric, real and double precision, as bytes that equal numbers have in common. */
final class NumberKey {
  /** What {@link AssignmentCast} says of a column of type real. */
  static final int SINGLE = 4;

  private static final Set<Integer> EXACT =
      Set.of(PgType.INT2, PgType.INT4, PgType.INT8, PgType.NUMERIC);

  /** Where the sign of a binary numeric stands, and what it is for those that are no numbers. */
  private static final int SIGN = 4;

  private static final int NAN = 0xC000;
  private static final int INFINITE_PAST = 0xF000;

  private NumberKey() {}

  /** True of the types whose values are compared with such a column as they are. */
  static boolean reads(KeyKind kind, int oid) {
    return EXACT.contains(oid)
        || kind == KeyKind.FLOAT && (oid == PgType.FLOAT4 || oid == PgType.FLOAT8);
  }

  /**
   * A numeric.
   *
   * @param scale how many digits behind the point are stored
   */
  static byte[] decimal(BoundValues values, int parameter, int oid, int scale) {
    return decimal(exact(values, parameter, oid), name(values, parameter), scale)
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static String decimal(BigDecimal number, String name, int scale) {
    if (number == null) {
      return name;
    }
    BigDecimal stored =
        number.scale() > scale ? number.setScale(scale, RoundingMode.HALF_UP) : number;
    return stored.signum() == 0 ? "0" : stored.stripTrailingZeros().toPlainString();
  }

  /**
   * A floating-point number.
   *
   * @param size {@link #SINGLE} when it is stored as real
   */
  static byte[] floating(BoundValues values, int parameter, int oid, int size) {
    boolean single = size == SINGLE || oid == PgType.FLOAT4;
    double number = single ? single(values, parameter, oid) : twice(values, parameter, oid);
    double canonical = number == 0 ? 0 : number; // There is a -0, too.
    return ByteBuffer.allocate(8).putLong(Double.doubleToLongBits(canonical)).array();
  }

  private static double twice(BoundValues values, int parameter, int oid) {
    if (values.isBinary(parameter) && oid == PgType.FLOAT8) {
      ValueBytes.require(values.length(parameter), 8);
      return Double.longBitsToDouble(
          BigEndian.int8(values.buffer(parameter), values.offset(parameter)));
    }
    BigDecimal exact = exact(values, parameter, oid);
    return exact == null ? Double.parseDouble(name(values, parameter)) : exact.doubleValue();
  }

  private static float single(BoundValues values, int parameter, int oid) {
    if (values.isBinary(parameter) && oid == PgType.FLOAT4) {
      ValueBytes.require(values.length(parameter), 4);
      return Float.intBitsToFloat(
          BigEndian.int4(values.buffer(parameter), values.offset(parameter)));
    }
    if (oid == PgType.FLOAT8) {
      return (float) twice(values, parameter, oid);
    }
    BigDecimal exact = exact(values, parameter, oid);
    return exact == null ? Float.parseFloat(name(values, parameter)) : exact.floatValue();
  }

  /** The number; null for NaN and the infinities. */
  private static BigDecimal exact(BoundValues values, int parameter, int oid) {
    byte[] buffer = values.buffer(parameter);
    int offset = values.offset(parameter);
    int length = values.length(parameter);
    if (!values.isBinary(parameter)) {
      return NumberText.parse(ValueBytes.ascii(buffer, offset, length));
    }
    return switch (oid) {
      case PgType.NUMERIC -> BinaryNumeric.read(buffer, offset, length);
      case PgType.INT8 -> {
        ValueBytes.require(length, 8);
        yield BigDecimal.valueOf(BigEndian.int8(buffer, offset));
      }
      case PgType.INT4 -> {
        ValueBytes.require(length, 4);
        yield BigDecimal.valueOf(BigEndian.int4(buffer, offset));
      }
      case PgType.INT2 -> {
        ValueBytes.require(length, 2);
        yield BigDecimal.valueOf(ByteBuffer.wrap(buffer, offset, length).getShort());
      }
      default -> throw ValueBytes.unsupportedType(oid);
    };
  }

  /** What PostgreSQL calls one that is no number; Java calls it the same. */
  private static String name(BoundValues values, int parameter) {
    byte[] buffer = values.buffer(parameter);
    int offset = values.offset(parameter);
    if (values.isBinary(parameter)) {
      int at = offset + SIGN;
      int sign =
          values.length(parameter) < 8 ? 0 : (buffer[at] & 0xFF) << 8 | buffer[at + 1] & 0xFF;
      return sign == NAN ? "NaN" : sign == INFINITE_PAST ? "-Infinity" : "Infinity";
    }
    String text = ValueBytes.ascii(buffer, offset, values.length(parameter));
    String lower = text.strip().toLowerCase(Locale.ROOT);
    return lower.endsWith("nan") ? "NaN" : lower.startsWith("-") ? "-Infinity" : "Infinity";
  }
}
