package org.abelian.router.routing;

import java.nio.charset.StandardCharsets;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/** The bytes of values that may be keys. */
final class ValueBytes {
  private ValueBytes() {}

  static String ascii(byte[] buffer, int offset, int length) {
    return new String(buffer, offset, length, StandardCharsets.US_ASCII);
  }

  static void require(int length, int expected) {
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

  static AbelianException unsupportedType(int oid) {
    return AbelianException.unsupported(
        "a distribution key cannot be read from a parameter of type OID " + oid,
        "Bind the key in the type of its column, or cast the parameter to it.");
  }
}
