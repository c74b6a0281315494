package org.abelian.router.execution;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.abelian.router.analysis.CopyOutFacts;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;

/**
 * Writes rows as lines of COPY's text and csv formats, as PostgreSQL's CopyAttributeOutText and
 * CopyAttributeOutCSV do; a message for each.
 */
final class CopyRowWriter {
  private static final byte[] END_OF_DATA = {'\\', '.'};

  /** What control characters are called behind a backslash, from backspace to carriage return. */
  private static final byte[] CONTROL_NAMES = {'b', 't', 'n', 'v', 'f', 'r'};

  private final boolean csv;
  private final byte delimiter;
  private final byte quote;
  private final byte escape;
  private final byte[] nullText;
  private final List<String> forceQuote;
  private final boolean forceQuoteAll;
  private final boolean ofTable;
  private boolean[] forced = {};
  private byte[] array;
  private int at;

  CopyRowWriter(CopyOutFacts facts) {
    csv = facts.csv();
    delimiter = first(facts.delimiter());
    quote = first(facts.quote());
    escape = first(facts.escape());
    nullText = facts.nullText().getBytes(StandardCharsets.UTF_8);
    forceQuote = facts.forceQuote();
    forceQuoteAll = facts.forceQuoteAll();
    ofTable = facts.ofTable();
  }

  private static byte first(String text) {
    return text == null || text.isEmpty() ? 0 : (byte) text.charAt(0);
  }

  /** The columns of the rows to come. */
  void columns(byte[][] names) {
    List<String> columns = new ArrayList<>();
    for (byte[] name : names) {
      columns.add(new String(name, StandardCharsets.UTF_8));
    }
    forced = new boolean[names.length];
    for (String name : forceQuote) {
      if (!columns.contains(name)) {
        throw ofTable
            ? ClientError.of("42P10", "FORCE_QUOTE column \"" + name + "\" not referenced by COPY")
            : ClientError.of("42703", "column \"" + name + "\" does not exist");
      }
      forced[columns.indexOf(name)] = true;
    }
    for (int column = 0; column < names.length; column++) {
      forced[column] |= forceQuoteAll;
    }
  }

  /** The line that names the columns. */
  void header(ByteQueue output, byte[][] names) {
    long size = 0;
    for (byte[] name : names) {
      size += name.length;
    }
    begin(output, size, names.length);
    for (int column = 0; column < names.length; column++) {
      separate(column);
      value(names[column], 0, names[column].length, false, names.length == 1);
    }
    end(output);
  }

  /**
   * The line of a row.
   *
   * @param from where the number of its values stands, which they follow as in a DataRow
   */
  void row(ByteQueue output, byte[] row, int from) {
    int columns = BigEndian.int2(row, from);
    int length = BigEndian.int4(row, from - 4);
    begin(output, length, columns);
    int next = from + 2;
    for (int column = 0; column < columns; column++) {
      separate(column);
      int size = BigEndian.int4(row, next);
      next += 4;
      if (size < 0) {
        put(nullText, 0, nullText.length);
      } else {
        value(row, next, next + size, forced[column], columns == 1);
        next += size;
      }
    }
    end(output);
  }

  /** Makes room for values of that many bytes in all, each of which may have to be escaped. */
  private void begin(ByteQueue output, long bytes, int columns) {
    long most = 6 + 2 * bytes + (long) columns * (nullText.length + 3);
    output.reserve((int) Math.min(most, Integer.MAX_VALUE));
    array = output.array();
    at = output.end() + 5;
  }

  private void end(ByteQueue output) {
    array[at++] = '\n';
    int start = output.end();
    array[start] = BackendType.COPY_DATA;
    BigEndian.putInt4(array, start + 1, at - start - 1);
    output.extend(at - start);
    array = null;
  }

  private void separate(int column) {
    if (column > 0) {
      array[at++] = delimiter;
    }
  }

  private void put(byte[] source, int from, int to) {
    System.arraycopy(source, from, array, at, to - from);
    at += to - from;
  }

  private void value(byte[] source, int from, int to, boolean force, boolean alone) {
    if (!csv) {
      text(source, from, to);
    } else if (force || needsQuotes(source, from, to, alone)) {
      quoted(source, from, to);
    } else {
      put(source, from, to);
    }
  }

  private void text(byte[] source, int from, int to) {
    for (int i = from; i < to; i++) {
      byte c = source[i];
      if (c >= '\b' && c <= '\r') {
        array[at++] = '\\';
        array[at++] = CONTROL_NAMES[c - '\b'];
      } else {
        if (c == '\\' || c == delimiter) {
          array[at++] = '\\';
        }
        array[at++] = c;
      }
    }
  }

  private boolean needsQuotes(byte[] source, int from, int to, boolean alone) {
    if (is(source, from, to, nullText) || alone && is(source, from, to, END_OF_DATA)) {
      return true;
    }
    for (int i = from; i < to; i++) {
      byte c = source[i];
      if (c == delimiter || c == quote || c == '\n' || c == '\r') {
        return true;
      }
    }
    return false;
  }

  private static boolean is(byte[] source, int from, int to, byte[] text) {
    return Arrays.equals(source, from, to, text, 0, text.length);
  }

  private void quoted(byte[] source, int from, int to) {
    array[at++] = quote;
    for (int i = from; i < to; i++) {
      byte c = source[i];
      if (c == quote || c == escape) {
        array[at++] = escape;
      }
      array[at++] = c;
    }
    array[at++] = quote;
  }
}
