package org.abelian.router.routing;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/**
 * PostgreSQL's binary form of numeric: digits in base 10,000, the weight of the first, the sign and
 * the display scale.
 */
public final class BinaryNumeric {
  private static final int POSITIVE = 0x0000;
  private static final int NEGATIVE = 0x4000;
  private static final int BASE_DIGITS = 4;
  private static final BigInteger BASE = BigInteger.valueOf(10_000);

  private BinaryNumeric() {}

  /** The value; null for NaN and the infinities. */
  public static BigDecimal read(byte[] buffer, int offset, int length) {
    if (length < 8) {
      throw broken();
    }
    ByteBuffer bytes = ByteBuffer.wrap(buffer, offset, length);
    int digits = bytes.getShort();
    int weight = bytes.getShort();
    int sign = bytes.getShort() & 0xFFFF;
    bytes.getShort(); // The display scale does not change the value.
    if (sign != POSITIVE && sign != NEGATIVE) {
      return null;
    }
    if (digits < 0 || bytes.remaining() != 2 * digits) {
      throw broken();
    }
    BigInteger unscaled = BigInteger.ZERO;
    for (int digit = 0; digit < digits; digit++) {
      unscaled = unscaled.multiply(BASE).add(BigInteger.valueOf(bytes.getShort()));
    }
    BigDecimal value =
        new BigDecimal(unscaled).scaleByPowerOfTen(BASE_DIGITS * (weight + 1 - digits));
    return sign == NEGATIVE ? value.negate() : value;
  }

  private static AbelianException broken() {
    return new AbelianException(
        SqlState.INVALID_BINARY_REPRESENTATION, "invalid binary form of a numeric parameter", null);
  }
}
