package org.abelian.router.execution;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/**
 * How numbers of one type stand in a row.
 *
 * @param bytes of the binary form of an integer; 0 for numeric, which is not read in binary form
 * @param binary true for the binary form, false for text
 */
record NumberForm(int bytes, boolean binary) {
  /** OIDs of the integer types, and the sizes of their values. */
  private static final Map<Integer, Integer> INTEGERS = Map.of(21, 2, 23, 4, 20, 8);

  private static final int NUMERIC = 1700;

  /**
   * The form of a column.
   *
   * @throws AbelianException 0A000 when its values cannot be added exactly
   */
  static NumberForm of(int type, boolean binary) {
    Integer bytes = INTEGERS.get(type);
    if (bytes == null && (type != NUMERIC || binary)) {
      throw AbelianException.unsupported(
          "a column of type OID " + type + (binary ? " in binary form" : "") + " cannot be summed",
          "Results that are merged by sum are integers, or numeric in text form; cast them.");
    }
    return new NumberForm(bytes == null ? 0 : bytes, binary);
  }

  BigDecimal read(byte[] value) {
    if (binary) {
      return new BigDecimal(new BigInteger(value));
    }
    try {
      return new BigDecimal(new String(value, StandardCharsets.US_ASCII));
    } catch (NumberFormatException notFinite) {
      throw AbelianException.unsupported(
          "NaN or infinity cannot be summed", "Leave such rows out.");
    }
  }

  byte[] write(BigDecimal sum) {
    if (bytes > 0 && sum.toBigInteger().bitLength() >= 8 * bytes) {
      throw new AbelianException(
          SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "the sum of the results is out of range", null);
    }
    if (!binary) {
      return sum.toPlainString().getBytes(StandardCharsets.US_ASCII);
    }
    byte[] wide = ByteBuffer.allocate(Long.BYTES).putLong(sum.longValueExact()).array();
    return Arrays.copyOfRange(wide, Long.BYTES - bytes, Long.BYTES);
  }
}
