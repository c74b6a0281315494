package org.abelian.router.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** The fields of an ErrorResponse or NoticeResponse, in order, by their one-letter codes. */
public final class ErrorFields {
  public static final char SEVERITY = 'S';
  public static final char SEVERITY_UNTRANSLATED = 'V';
  public static final char SQLSTATE = 'C';
  public static final char MESSAGE = 'M';
  public static final char DETAIL = 'D';
  public static final char HINT = 'H';
  public static final char POSITION = 'P';
  public static final char CONTEXT = 'W';
  public static final char CONSTRAINT = 'n';
  public static final char ROUTINE = 'R';

  /** The {@link #ROUTINE} of a prepared statement that returns other columns now. */
  public static final String CACHED_PLAN_ROUTINE = "RevalidateCachedQuery";

  private final Map<Character, String> fields = new LinkedHashMap<>();

  /** No fields yet. */
  public ErrorFields() {}

  /** The fields that a server error needs at least. */
  public static ErrorFields of(String severity, String sqlState, String message) {
    return new ErrorFields()
        .with(SEVERITY, severity)
        .with(SEVERITY_UNTRANSLATED, severity)
        .with(SQLSTATE, sqlState)
        .with(MESSAGE, message);
  }

  /** Reads the frame that starts at an index. */
  public static ErrorFields read(byte[] array, int frame) {
    ErrorFields result = new ErrorFields();
    int limit = frame + 1 + BigEndian.int4(array, frame + 1);
    int at = frame + 5;
    while (at < limit && array[at] != 0) {
      int zero = CString.end(array, at + 1, limit);
      result.fields.put(
          (char) array[at], new String(array, at + 1, zero - at - 1, StandardCharsets.UTF_8));
      at = zero + 1;
    }
    return result;
  }

  /** Reads a whole frame. */
  public static ErrorFields read(byte[] frame) {
    return read(frame, 0);
  }

  /** Sets a field; null leaves it out. */
  public ErrorFields with(char code, String value) {
    if (value != null) {
      fields.put(code, value);
    }
    return this;
  }

  /** A field, or null. */
  public String get(char code) {
    return fields.get(code);
  }

  /** True when the server ends the connection with it. */
  public boolean isFatal() {
    String severity = fields.getOrDefault(SEVERITY_UNTRANSLATED, fields.get(SEVERITY));
    return "FATAL".equals(severity) || "PANIC".equals(severity);
  }

  /** The SQLSTATE. */
  public String sqlState() {
    return fields.getOrDefault(SQLSTATE, "XX000");
  }

  /** The primary message. */
  public String message() {
    return fields.getOrDefault(MESSAGE, "");
  }

  /** Appends the fields as a frame of that type. */
  public void write(FrameWriter writer, byte type) {
    writer.begin(type);
    fields.forEach((code, value) -> writer.int1(code).string(value));
    writer.int1(0).end();
  }

  /** The fields as a frame of that type. */
  public byte[] frame(byte type) {
    ByteQueue queue = new ByteQueue(128);
    write(new FrameWriter(queue), type);
    return queue.toByteArray();
  }

  /** True when the frame at an index has that SQLSTATE; cheaper than reading all fields. */
  public static boolean hasSqlState(byte[] array, int frame, String sqlState) {
    byte[] wanted = sqlState.getBytes(StandardCharsets.US_ASCII);
    int limit = frame + 1 + BigEndian.int4(array, frame + 1);
    int at = frame + 5;
    while (at < limit && array[at] != 0) {
      int zero = CString.end(array, at + 1, limit);
      if (array[at] == SQLSTATE) {
        return Arrays.equals(array, at + 1, zero, wanted, 0, wanted.length);
      }
      at = zero + 1;
    }
    return false;
  }
}
