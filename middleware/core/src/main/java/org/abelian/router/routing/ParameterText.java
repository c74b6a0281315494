package org.abelian.router.routing;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** A parameter of a Bind message in PostgreSQL's text form. */
public final class ParameterText {
  private static final int BOOL = 16;
  private static final int INT8 = 20;
  private static final int INT2 = 21;
  private static final int INT4 = 23;
  private static final int TEXT = 25;
  private static final int BPCHAR = 1042;
  private static final int VARCHAR = 1043;
  private static final int FLOAT8 = 701;
  private static final int NUMERIC = 1700;
  private static final int UUID_TYPE = 2950;

  private ParameterText() {}

  /**
   * The text form; null when the binary form of that type is not known here.
   *
   * @param type the OID that PostgreSQL resolved
   */
  public static String of(int type, boolean binary, byte[] buffer, int offset, int length) {
    if (!binary || type == TEXT || type == VARCHAR || type == BPCHAR) {
      return new String(buffer, offset, length, StandardCharsets.UTF_8);
    }
    ByteBuffer bytes = ByteBuffer.wrap(buffer, offset, length);
    return switch (type) {
      case BOOL -> bytes.get() == 0 ? "f" : "t";
      case INT2 -> Short.toString(bytes.getShort());
      case INT4 -> Integer.toString(bytes.getInt());
      case INT8 -> Long.toString(bytes.getLong());
      case FLOAT8 -> Double.toString(bytes.getDouble());
      case UUID_TYPE -> new UUID(bytes.getLong(), bytes.getLong()).toString();
      case NUMERIC -> {
        BigDecimal value = BinaryNumeric.read(buffer, offset, length);
        yield value == null ? null : value.toPlainString();
      }
      default -> null;
    };
  }
}
