package org.abelian.cluster.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A message from the server: its type and its body without the length. */
public record Message(char type, byte[] body) {
  private static final int TYPE = 6;
  private static final int MODIFIER = 12;
  private static final int FIELD_LENGTH = 18;
  private static final int FIRST_MADE = 16384;

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

  /** Names, types and type modifiers of a RowDescription; types that users have made are alike. */
  public List<String> columns() {
    ByteBuffer in = ByteBuffer.wrap(body);
    List<String> columns = new ArrayList<>();
    for (int left = in.getShort(); left > 0; left--) {
      String name = string(in);
      int at = in.position();
      int type = in.getInt(at + TYPE);
      int modifier = in.getInt(at + MODIFIER);
      columns.add(name + ' ' + (type < FIRST_MADE ? type : "made") + ' ' + modifier);
      in.position(at + FIELD_LENGTH);
    }
    return columns;
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
