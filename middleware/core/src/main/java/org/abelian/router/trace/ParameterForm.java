package org.abelian.router.trace;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.abelian.router.error.AbelianException;
import org.abelian.router.routing.ArrayText;
import org.abelian.router.routing.ParameterText;
import org.abelian.router.routing.PgType;

/**
 * The text of a recorded value, as PostgreSQL would log it. Binary values of types that the router
 * does not know are given as their bytes, in the form of bytea.
 */
final class ParameterForm {
  private static final LocalDate EPOCH = LocalDate.of(2000, 1, 1);

  private ParameterForm() {}

  /**
   * The text; of a value that was cut, the text of its beginning.
   *
   * @param type its OID
   */
  static String of(TracedStatement.Value value, int type) {
    byte[] bytes = value.bytes();
    if (value.isCut() && value.binary() && !isText(type)) {
      return hex(bytes);
    }
    return of(type, value.binary(), bytes);
  }

  private static boolean isText(int type) {
    return type == PgType.TEXT || type == PgType.VARCHAR || type == PgType.BPCHAR;
  }

  private static String of(int type, boolean binary, byte[] bytes) {
    try {
      if (binary && type == PgType.DATE && bytes.length == Integer.BYTES) {
        return EPOCH.plusDays(ByteBuffer.wrap(bytes).getInt()).toString();
      }
      if (binary && PgType.elementOf(type) != PgType.UNKNOWN) {
        return array(bytes);
      }
      String text = ParameterText.of(type, binary, bytes, 0, bytes.length);
      return text == null ? hex(bytes) : text;
    } catch (RuntimeException broken) {
      return hex(bytes); // The node refuses it; here it must do no harm.
    }
  }

  private static String hex(byte[] bytes) {
    return "\\x" + HexFormat.of().formatHex(bytes);
  }

  /** Elements of all dimensions as an array of one. */
  private static String array(byte[] array) {
    ByteBuffer bytes = ByteBuffer.wrap(array);
    int dimensions = bytes.getInt();
    bytes.getInt();
    int type = bytes.getInt();
    for (int dimension = 0; dimension < dimensions; dimension++) {
      bytes.getLong();
    }
    List<String> elements = new ArrayList<>();
    while (bytes.hasRemaining()) {
      int length = bytes.getInt();
      if (length > bytes.remaining()) {
        throw new BufferUnderflowException();
      }
      byte[] element = new byte[Math.max(length, 0)];
      bytes.get(element);
      elements.add(length < 0 ? null : of(type, true, element));
    }
    return array(elements);
  }

  /** An array in PostgreSQL's text form. */
  static String array(List<String> elements) {
    StringBuilder text = new StringBuilder("{");
    for (String element : elements) {
      text.append(text.length() > 1 ? "," : "");
      if (element == null) {
        text.append("NULL");
      } else {
        text.append('"').append(element.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
      }
    }
    return text.append('}').toString();
  }

  /** The elements of an array in text form; null when the text is none. */
  static List<String> elements(String text) {
    try {
      return ArrayText.elements(text);
    } catch (AbelianException noArray) {
      return null;
    }
  }
}
