package org.abelian.router.execution;

import org.abelian.router.protocol.ByteQueue;

/** Writes fields before the first one of a line, or of a binary row. */
final class CopyFieldWriter {
  private final CopyFormat format;

  /**
   * @param format of lines; null when rows are binary
   */
  CopyFieldWriter(CopyFormat format) {
    this.format = format;
  }

  /** Appends these fields of a line, each with the delimiter behind it. */
  void line(ByteQueue output, byte[][] values) {
    for (byte[] value : values) {
      if (value == null) {
        output.append(format.nullText());
      } else if (format.csv()) {
        csv(output, value);
      } else {
        text(output, value);
      }
      output.append(new byte[] {format.delimiter()});
    }
  }

  /** Appends a binary row: these fields, then those of the client's row at that place. */
  static void row(ByteQueue output, byte[][] values, byte[] array, int from, int to) {
    int count = (((array[from] & 0xff) << 8) | (array[from + 1] & 0xff)) + values.length;
    output.append(new byte[] {(byte) (count >> 8), (byte) count});
    for (byte[] value : values) {
      int length = value == null ? -1 : value.length;
      output.append(
          new byte[] {
            (byte) (length >> 24), (byte) (length >> 16), (byte) (length >> 8), (byte) length
          });
      if (value != null) {
        output.append(value);
      }
    }
    output.append(array, from + 2, to - from - 2);
  }

  /** Quoted, so that it is neither NULL nor anything else but a value. */
  private void csv(ByteQueue output, byte[] value) {
    output.append(new byte[] {format.quote()});
    for (byte c : value) {
      if (c == format.quote() || c == format.escape()) {
        output.append(new byte[] {format.escape()});
      }
      output.append(new byte[] {c});
    }
    output.append(new byte[] {format.quote()});
  }

  /** Bytes that could mean something else, the first one of what looks like NULL too, by number. */
  private void text(ByteQueue output, byte[] value) {
    boolean isNull = format.isNull(value, 0, value.length);
    for (int at = 0; at < value.length; at++) {
      byte c = value[at];
      boolean special = c == '\\' || c == format.delimiter() || c >= 0 && c < ' ';
      if (special || isNull && at == 0) {
        output.append(
            new byte[] {
              '\\',
              (byte) ('0' + ((c >> 6) & 3)),
              (byte) ('0' + ((c >> 3) & 7)),
              (byte) ('0' + (c & 7))
            });
      } else {
        output.append(new byte[] {c});
      }
    }
  }
}
