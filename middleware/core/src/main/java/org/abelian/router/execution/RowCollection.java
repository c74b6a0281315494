package org.abelian.router.execution;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.protocol.ByteQueue;

/**
 * Rows of several nodes, kept column by column as PostgreSQL array literals, so that one node can
 * be given them as parameters. Memory is bounded: beyond the limit rows are counted and dropped.
 */
public final class RowCollection {
  private static final byte[] NULL = "NULL".getBytes(StandardCharsets.US_ASCII);

  private final long limit;
  private final List<ByteQueue> columns = new ArrayList<>();
  private long bytes;
  private long rows;

  /**
   * @param columnCount of each row
   * @param limit bytes that may be kept
   */
  public RowCollection(int columnCount, long limit) {
    this.limit = limit;
    for (int i = 0; i < columnCount; i++) {
      ByteQueue column = new ByteQueue(256);
      column.append(new byte[] {'{'});
      columns.add(column);
    }
  }

  /** Adds a row in text format. */
  public void add(byte[][] values) {
    rows++;
    for (byte[] value : values) {
      bytes += value == null ? NULL.length + 1 : value.length + 3;
    }
    if (isOverLimit()) {
      return;
    }
    for (int i = 0; i < columns.size(); i++) {
      ByteQueue column = columns.get(i);
      if (rows > 1) {
        column.append(new byte[] {','});
      }
      if (values[i] == null) {
        column.append(NULL);
      } else {
        quote(column, values[i]);
      }
    }
  }

  /** UTF-8 keeps quotes and backslashes apart from other characters' bytes. */
  private static void quote(ByteQueue column, byte[] value) {
    column.reserve(2 * value.length + 2);
    byte[] array = column.array();
    int at = column.end();
    int from = at;
    array[at++] = '"';
    for (byte b : value) {
      if (b == '"' || b == '\\') {
        array[at++] = '\\';
      }
      array[at++] = b;
    }
    array[at++] = '"';
    column.extend(at - from);
  }

  /** True when rows were dropped. */
  public boolean isOverLimit() {
    return bytes > limit;
  }

  /** The rows of all nodes. */
  public long rows() {
    return rows;
  }

  /** One array literal for each column; only once. */
  public List<byte[]> arrays() {
    List<byte[]> result = new ArrayList<>();
    for (ByteQueue column : columns) {
      column.append(new byte[] {'}'});
      result.add(column.toByteArray());
    }
    return result;
  }
}
