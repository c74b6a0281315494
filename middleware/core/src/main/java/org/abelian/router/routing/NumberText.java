package org.abelian.router.routing;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/** Numbers as text, in all forms that PostgreSQL 15 to 18 accept. */
final class NumberText {
  /** PostgreSQL's numeric has at most 131072 digits before the point. */
  private static final int EXPONENT_MAX = 131_072;

  private NumberText() {}

  /** The value; null for NaN and the infinities. */
  static BigDecimal parse(String text) {
    String trimmed = text.strip().toLowerCase(Locale.ROOT);
    String unsigned =
        trimmed.startsWith("-") || trimmed.startsWith("+") ? trimmed.substring(1) : trimmed;
    boolean negative = trimmed.startsWith("-");
    if (unsigned.equals("nan") || unsigned.equals("inf") || unsigned.equals("infinity")) {
      return null;
    }
    try {
      BigDecimal value = magnitude(unsigned);
      return negative ? value.negate() : value;
    } catch (NumberFormatException malformed) {
      throw new AbelianException(
          SqlState.INVALID_TEXT_REPRESENTATION,
          "invalid input syntax for a numeric distribution key: \"" + text + "\"",
          null);
    }
  }

  /**
   * As a double precision number, which may not be what the digits say; null for NaN and the
   * infinities.
   */
  static BigDecimal parseDouble(String text) {
    BigDecimal written = parse(text);
    return written == null ? null : exact(written.doubleValue());
  }

  /** As a real number, which may not be what the digits say; null for NaN and the infinities. */
  static BigDecimal parseFloat(String text) {
    BigDecimal written = parse(text);
    return written == null ? null : exact(written.floatValue());
  }

  /** The number that the bits mean; null for NaN and the infinities. */
  static BigDecimal exact(double value) {
    return Double.isFinite(value) ? new BigDecimal(value) : null;
  }

  private static BigDecimal magnitude(String unsigned) {
    if (unsigned.isEmpty() || unsigned.startsWith("-") || unsigned.startsWith("+")) {
      throw new NumberFormatException(unsigned);
    }
    String digits = unsigned.replaceAll("(?<=[0-9a-fxob])_(?=[0-9a-f])", "");
    int radix =
        digits.startsWith("0x")
            ? 16
            : digits.startsWith("0o") ? 8 : digits.startsWith("0b") ? 2 : 10;
    if (radix != 10) {
      return new BigDecimal(new BigInteger(digits.substring(2), radix));
    }
    BigDecimal value = new BigDecimal(digits);
    if (value.signum() != 0 && Math.abs((long) value.precision() - value.scale()) > EXPONENT_MAX) {
      throw new NumberFormatException(unsigned); // Else its digits would fill the memory.
    }
    return value;
  }
}
