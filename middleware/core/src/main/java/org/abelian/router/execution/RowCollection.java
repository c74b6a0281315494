package org.abelian.router.execution;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.error.AbelianException;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.MemoryBudget;

/**
 * Rows of several nodes, kept column by column as PostgreSQL array literals, so that one node can
 * be given them as parameters. Memory is bounded, for one collection and by the router's budget.
 */
public final class RowCollection implements RowSink {
  private static final byte[] NULL = "NULL".getBytes(StandardCharsets.US_ASCII);
  private static final int FIRST_ROOM = 256;

  private final long limit;
  private final List<ByteQueue> columns = new ArrayList<>();
  private long bytes;
  private long rows;

  /**
   * @param columnCount of each row
   * @param limit bytes that may be kept
   * @param memory counts what is kept
   */
  public RowCollection(int columnCount, long limit, MemoryBudget memory) {
    this.limit = limit;
    for (int i = 0; i < columnCount; i++) {
      ByteQueue column = new ByteQueue(FIRST_ROOM, memory);
      column.append(new byte[] {'{'});
      columns.add(column);
    }
  }

  @Override
  public long room() {
    return limit - bytes;
  }

  /**
   * Adds a row in text format.
   *
   * @throws AbelianException 54000 or 53200 when it is too much; what is kept is of no use then
   */
  @Override
  public void take(byte[][] values) {
    long more = sizeOf(values);
    if (more > room()) {
      throw tooMuch();
    }
    bytes += more;
    rows++;
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

  /** The bytes that a row counts. */
  public static long sizeOf(byte[][] values) {
    long size = 0;
    for (byte[] value : values) {
      size += value == null ? NULL.length + 1 : value.length + 3;
    }
    return size;
  }

  @Override
  public AbelianException tooMuch() {
    return ExchangeLimit.exceeded(
        "combine",
        limit,
        rows,
        "Narrow the query, or give the distribution key so that one node answers it.");
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

  /** How many rows there are. */
  public long rows() {
    return rows;
  }

  /** The bytes that are kept of them, as the limit counts them. */
  public long bytes() {
    return bytes;
  }

  /** One array literal for each column; only once. */
  public List<ByteQueue> arrays() {
    columns.forEach(column -> column.append(new byte[] {'}'}));
    return columns;
  }

  /** Gives up the memory. */
  public void close() {
    columns.forEach(ByteQueue::close);
  }
}
