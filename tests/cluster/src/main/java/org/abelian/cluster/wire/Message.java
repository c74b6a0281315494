package org.abelian.cluster.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** A message from the server: its type and its body without the length. */
public record Message(char type, byte[] body) {
  /** Fields of an error or notice by their letter. */
  public Map<Character, String> fields() {
    Map<Character, String> fields = new TreeMap<>();
    ByteBuffer in = ByteBuffer.wrap(body);
    for (byte letter = in.get(); letter != 0; letter = in.get()) {
      fields.put((char) letter, string(in));
    }
    return fields;
  }

  /** SQLSTATE of an error or notice. */
  public String sqlState() {
    return fields().get('C');
  }

  /** The first string of the body, such as a command tag. */
  public String text() {
    return string(ByteBuffer.wrap(body));
  }

  /** Values of a DataRow as text; null for NULL. */
  public String[] values() {
    ByteBuffer in = ByteBuffer.wrap(body);
    String[] values = new String[in.getShort()];
    for (int i = 0; i < values.length; i++) {
      int length = in.getInt();
      if (length >= 0) {
        byte[] value = new byte[length];
        in.get(value);
        values[i] = new String(value, StandardCharsets.UTF_8);
      }
    }
    return values;
  }

  static String string(ByteBuffer in) {
    int start = in.position();
    while (in.get() != 0) {
      // The terminator is what is looked for.
    }
    return new String(in.array(), start, in.position() - start - 1, StandardCharsets.UTF_8);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Message m && m.type == type && Arrays.equals(m.body, body);
  }

  @Override
  public int hashCode() {
    return 31 * type + Arrays.hashCode(body);
  }

  @Override
  public String toString() {
    return switch (type) {
      case 'E', 'N' -> type + " " + fields();
      case 'D' -> "D " + Arrays.toString(values());
      case 'C' -> "C " + text();
      case 'Z' -> "Z " + (char) body[0];
      default -> type + " " + new String(body, StandardCharsets.ISO_8859_1).replace('\0', '|');
    };
  }
}
