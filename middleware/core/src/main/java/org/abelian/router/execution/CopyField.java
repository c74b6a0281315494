package org.abelian.router.execution;

import org.abelian.router.protocol.ByteQueue;

/**
 * Reads one field of a line as PostgreSQL's CopyReadAttributesText and CopyReadAttributesCSV do.
 * Not thread-safe.
 */
public final class CopyField {
  /** What a line has in that place. */
  public enum Content {
    VALUE,
    NULL,
    /** What stands for the column's default. */
    DEFAULT,
    /** The line has fewer fields, or ends inside a quote; a node says so. */
    MISSING
  }

  private final CopyFormat format;
  private final CopyDivision.Force force;
  private final ByteQueue value = new ByteQueue(64);

  /** Reads fields of that format. */
  public CopyField(CopyFormat format) {
    this(format, CopyDivision.Force.NONE);
  }

  /**
   * Reads fields of one column.
   *
   * @param force what may stand for NULL there, in csv
   */
  CopyField(CopyFormat format, CopyDivision.Force force) {
    this.format = format;
    this.force = force;
  }

  /** The value that was read last. */
  public ByteQueue value() {
    return value;
  }

  /**
   * Reads a field.
   *
   * @param column its number, from 0
   */
  public Content read(byte[] array, int from, int to, int column) {
    return format.csv() ? csv(array, from, to, column) : text(array, from, to, column);
  }

  private Content text(byte[] array, int from, int to, int column) {
    int at = from;
    for (int field = 0; field < column; field++) {
      at = textEnd(array, at, to) + 1;
      if (at > to) {
        return Content.MISSING;
      }
    }
    int end = textEnd(array, at, to);
    if (format.isNull(array, at, end)) {
      return Content.NULL;
    } else if (format.isDefault(array, at, end)) {
      return Content.DEFAULT;
    }
    value.clear();
    while (at < end) {
      byte c = array[at++];
      if (c == '\\' && at < end) {
        at = unescape(array, at, end);
      } else {
        put(c);
      }
    }
    return Content.VALUE;
  }

  /** Where the field ends: at a delimiter that no backslash precedes, or at the end of the line. */
  private int textEnd(byte[] array, int from, int to) {
    int at = from;
    while (at < to && array[at] != format.delimiter()) {
      at += array[at] == '\\' ? 2 : 1;
    }
    return Math.min(at, to);
  }

  /** The character after a backslash. */
  private int unescape(byte[] array, int from, int to) {
    byte c = array[from];
    int at = from + 1;
    if (c >= '0' && c <= '7') {
      int code = c - '0';
      for (int digits = 1; digits < 3 && at < to && isOctal(array[at]); digits++) {
        code = code * 8 + array[at++] - '0';
      }
      put((byte) code);
    } else if (c == 'x' && at < to && Character.digit(array[at], 16) >= 0) {
      int code = Character.digit(array[at++], 16);
      if (at < to && Character.digit(array[at], 16) >= 0) {
        code = code * 16 + Character.digit(array[at++], 16);
      }
      put((byte) code);
    } else {
      put(
          (byte)
              switch (c) {
                case 'b' -> '\b';
                case 'f' -> '\f';
                case 'n' -> '\n';
                case 'r' -> '\r';
                case 't' -> '\t';
                case 'v' -> 0x0B;
                default -> c;
              });
    }
    return at;
  }

  private static boolean isOctal(byte c) {
    return c >= '0' && c <= '7';
  }

  private Content csv(byte[] array, int from, int to, int column) {
    int at = from;
    for (int field = 0; ; field++) {
      int start = at;
      boolean quoted = false;
      boolean delimited = false;
      value.clear();
      while (at < to && !delimited) {
        byte c = array[at++];
        if (c == format.delimiter()) {
          delimited = true;
        } else if (c == format.quote()) {
          quoted = true;
          at = csvQuoted(array, at, to);
          if (at < 0) {
            return Content.MISSING;
          }
        } else {
          put(c);
        }
      }
      if (field == column) {
        int end = delimited ? at - 1 : at;
        if (isNull(quoted, array, start, end)) {
          return Content.NULL;
        }
        return format.isDefault(array, start, end) ? Content.DEFAULT : Content.VALUE;
      }
      if (!delimited) {
        return Content.MISSING;
      }
    }
  }

  private boolean isNull(boolean quoted, byte[] array, int start, int end) {
    return switch (force) {
      case NONE -> !quoted && format.isNull(array, start, end);
      case NULL -> format.isNull(value.array(), value.start(), value.end());
      case NOT_NULL -> false;
    };
  }

  /** Reads up to the closing quote; negative when there is none. */
  private int csvQuoted(byte[] array, int from, int to) {
    int at = from;
    while (at < to) {
      byte c = array[at++];
      boolean escapes =
          c == format.escape()
              && at < to
              && (array[at] == format.escape() || array[at] == format.quote());
      if (escapes) {
        put(array[at++]);
      } else if (c == format.quote()) {
        return at;
      } else {
        put(c);
      }
    }
    return -1;
  }

  private void put(byte c) {
    value.reserve(1);
    value.array()[value.end()] = c;
    value.extend(1);
  }
}
