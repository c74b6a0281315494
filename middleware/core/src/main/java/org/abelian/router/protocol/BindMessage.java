package org.abelian.router.protocol;

import java.util.Arrays;
import java.util.List;

/** A view of a Bind message where it lies. Reused from message to message; not thread-safe. */
public final class BindMessage {
  private byte[] array;
  private int portalAt;
  private int portalEnd;
  private int statementEnd;
  private int tailEnd;
  private int formatCount;
  private int parameterCount;
  private int valuesAt;
  private int[] offsets = new int[16];
  private int[] lengths = new int[16];
  private int known;

  /** One that binds an unnamed statement without parameters to an unnamed portal. */
  public static BindMessage withoutValues() {
    ByteQueue queue = new ByteQueue(16);
    FrameWriter writer = new FrameWriter(queue);
    writer.begin(FrontendType.BIND).int1(0).int1(0).int2(0).int2(0);
    writer.int2(0).end();
    BindMessage message = new BindMessage();
    message.look(queue.toByteArray(), 0);
    return message;
  }

  /**
   * Looks at the frame at an index.
   *
   * @throws MalformedMessageException when it is
   */
  public void look(byte[] array, int frame) {
    this.array = array;
    tailEnd = frame + 1 + BigEndian.int4(array, frame + 1);
    portalAt = frame + 5;
    portalEnd = CString.end(array, portalAt, tailEnd);
    statementEnd = CString.end(array, portalEnd + 1, tailEnd);
    int at = statementEnd + 1;
    require(at + 2);
    formatCount = BigEndian.int2(array, at) & 0xffff;
    at += 2 + 2 * formatCount;
    require(at + 2);
    parameterCount = BigEndian.int2(array, at) & 0xffff;
    valuesAt = at + 2;
    known = 0;
    if (formatCount > 1 && formatCount != parameterCount) {
      throw new MalformedMessageException(
          "bind message has "
              + formatCount
              + " parameter formats but "
              + parameterCount
              + " parameters");
    }
  }

  private void require(int end) {
    if (end > tailEnd) {
      throw MalformedMessageException.tooShort();
    }
  }

  /** The array that holds the message. */
  public byte[] array() {
    return array;
  }

  /** Where the portal's name starts. */
  public int portalAt() {
    return portalAt;
  }

  /** The length of the portal's name. */
  public int portalLength() {
    return portalEnd - portalAt;
  }

  /** Where the statement's name starts. */
  public int statementAt() {
    return portalEnd + 1;
  }

  /** Where the statement's name ends. */
  public int statementEnd() {
    return statementEnd;
  }

  /** Where everything after the statement's name starts: formats, values, result formats. */
  public int tailAt() {
    return statementEnd + 1;
  }

  /** The length of everything after the statement's name. */
  public int tailLength() {
    return tailEnd - statementEnd - 1;
  }

  /** The number of parameters. */
  public int parameterCount() {
    return parameterCount;
  }

  /** True when the parameter, counted from 0, is in binary format. */
  public boolean isBinary(int parameter) {
    if (formatCount == 0) {
      return false;
    }
    int index = formatCount == 1 ? 0 : parameter;
    return BigEndian.int2(array, statementEnd + 3 + 2 * index) == 1;
  }

  /** Where the value of the parameter, counted from 0, starts. */
  public int offset(int parameter) {
    find(parameter);
    return offsets[parameter];
  }

  /** The length of the parameter's value, counted from 0; -1 for NULL. */
  public int length(int parameter) {
    find(parameter);
    return lengths[parameter];
  }

  /** Values are walked only as far as somebody asks: a key is usually among the first. */
  private void find(int parameter) {
    if (parameter < known) {
      return;
    }
    if (parameter >= parameterCount) {
      throw new IllegalArgumentException("Bind has no parameter " + (parameter + 1));
    }
    if (parameter >= offsets.length) {
      int size = Math.max(parameter + 1, offsets.length * 2);
      offsets = Arrays.copyOf(offsets, size);
      lengths = Arrays.copyOf(lengths, size);
    }
    int at = known == 0 ? valuesAt : offsets[known - 1] + Math.max(lengths[known - 1], 0);
    for (; known <= parameter; known++) {
      require(at + 4);
      int length = BigEndian.int4(array, at);
      at += 4;
      offsets[known] = at;
      lengths[known] = length;
      at += Math.max(length, 0);
      require(at);
    }
  }

  /** Where the result formats start: after the last value. */
  public int resultFormatsAt() {
    if (parameterCount == 0) {
      return valuesAt;
    }
    int last = parameterCount - 1;
    return offset(last) + Math.max(length(last), 0);
  }

  /** Writes it for the statement of that name. */
  public void write(FrameWriter writer, byte[] name) {
    begin(writer, name).bytes(array, tailAt(), tailLength()).end();
  }

  /** Begins to write it for the statement of that name; formats and values are to follow. */
  public FrameWriter begin(FrameWriter writer, byte[] name) {
    return writer
        .begin(FrontendType.BIND)
        .bytes(array, portalAt(), portalLength())
        .int1(0)
        .string(name);
  }

  /**
   * Writes its formats and values, and more values after them.
   *
   * @param more in text form; null is NULL
   */
  public void writeValues(FrameWriter writer, List<ByteQueue> more) {
    int all = parameterCount + more.size();
    writer.int2(all);
    for (int i = 0; i < all; i++) {
      writer.int2(i < parameterCount && isBinary(i) ? 1 : 0);
    }
    writer.int2(all);
    for (int i = 0; i < parameterCount; i++) {
      int length = length(i);
      writer.int4(length);
      if (length > 0) {
        writer.bytes(array, offset(i), length);
      }
    }
    for (ByteQueue value : more) {
      if (value == null) {
        writer.int4(-1);
      } else {
        writer.int4(value.size()).bytes(value.array(), value.start(), value.size());
      }
    }
  }

  /** A message of its own with the same values, for when the client's will be gone. */
  public BindMessage copy() {
    BindMessage copy = new BindMessage();
    copy.look(extended(List.of()), 0);
    return copy;
  }

  /**
   * The whole message again, with more values after its own.
   *
   * @param more in text form; null is NULL
   */
  public byte[] extended(List<ByteQueue> more) {
    int room = more.stream().mapToInt(value -> value == null ? 8 : 8 + value.size()).sum();
    ByteQueue queue = new ByteQueue(tailEnd - portalAt + 64 + room);
    FrameWriter writer = new FrameWriter(queue);
    writer.begin(FrontendType.BIND).bytes(array, portalAt, tailAt() - portalAt);
    writeValues(writer, more);
    int formats = resultFormatsAt();
    writer.bytes(array, formats, tailEnd - formats).end();
    return queue.toByteArray();
  }

  /** The whole message again, for an unnamed portal whose columns are given as text. */
  public byte[] asText() {
    ByteQueue queue = new ByteQueue(tailEnd - portalAt + 16);
    FrameWriter writer = new FrameWriter(queue);
    writer.begin(FrontendType.BIND).int1(0).int1(0);
    writer.bytes(array, tailAt(), resultFormatsAt() - tailAt()).int2(0).end();
    return queue.toByteArray();
  }

  /** The result formats: none for text, one for all columns, or one for each. */
  public int[] resultFormats() {
    int at = resultFormatsAt();
    require(at + 2);
    int[] formats = new int[BigEndian.int2(array, at) & 0xffff];
    require(at + 2 + 2 * formats.length);
    for (int i = 0; i < formats.length; i++) {
      formats[i] = BigEndian.int2(array, at + 2 + 2 * i);
    }
    return formats;
  }

  /** Where the message ends. */
  public int end() {
    return tailEnd;
  }
}
