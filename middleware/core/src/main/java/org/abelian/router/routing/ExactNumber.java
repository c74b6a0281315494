package org.abelian.router.routing;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Integers and numerics with their fractions, and beyond 64 bits. */
final class ExactNumber {
  private ExactNumber() {}

  /**
   * The number that a value which is not NULL means; null for NaN, the infinities, and types that
   * are neither.
   *
   * @throws org.abelian.router.error.AbelianException when it is not a number
   */
  static BigDecimal read(BoundValues values, int parameter, int oid) {
    byte[] buffer = values.buffer(parameter);
    int offset = values.offset(parameter);
    int length = values.length(parameter);
    boolean exact =
        oid == PgType.INT2 || oid == PgType.INT4 || oid == PgType.INT8 || oid == PgType.NUMERIC;
    if (!values.isBinary(parameter)) {
      String text = new String(buffer, offset, length, StandardCharsets.US_ASCII);
      return exact || oid == PgType.UNKNOWN ? NumberText.parse(text) : null;
    }
    if (oid == PgType.NUMERIC) {
      return BinaryNumeric.read(buffer, offset, length);
    }
    ByteBuffer bytes = ByteBuffer.wrap(buffer, offset, length);
    if (oid == PgType.INT2 && length == Short.BYTES) {
      return BigDecimal.valueOf(bytes.getShort());
    }
    if (oid == PgType.INT4 && length == Integer.BYTES) {
      return BigDecimal.valueOf(bytes.getInt());
    }
    return oid == PgType.INT8 && length == Long.BYTES ? BigDecimal.valueOf(bytes.getLong()) : null;
  }
}
