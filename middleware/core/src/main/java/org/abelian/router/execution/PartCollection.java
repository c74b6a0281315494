package org.abelian.router.execution;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.abelian.router.error.AbelianException;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.MemoryBudget;

/**
 * Rows of several nodes, for one node as parameters. Where they are of several tables, the first
 * column of a row is the number of its part. Each part has columns of its own, which are NULL in
 * rows of the others and are not kept for those.
 */
public final class PartCollection implements RowSink {
  private final boolean numbered;
  private final long limit;
  private final List<RowCollection> parts = new ArrayList<>();
  private final int[] ends;

  /**
   * @param columnCounts of each part
   * @param numbered whether rows begin with the number of their part; else there is one part
   * @param limit bytes that may be kept in all
   * @param memory counts what is kept
   */
  public PartCollection(
      List<Integer> columnCounts, boolean numbered, long limit, MemoryBudget memory) {
    this.numbered = numbered;
    this.limit = limit;
    ends = new int[columnCounts.size()];
    int end = 1;
    for (int i = 0; i < ends.length; i++) {
      end += columnCounts.get(i);
      ends[i] = end;
      parts.add(new RowCollection(columnCounts.get(i), limit, memory));
    }
  }

  @Override
  public long room() {
    long kept = 0;
    for (RowCollection part : parts) {
      kept += limit - part.room();
    }
    return limit - kept;
  }

  /**
   * Adds a row in text format.
   *
   * @throws AbelianException 54000 or 53200 when it is too much; what is kept is of no use then
   */
  @Override
  public void take(byte[][] values) {
    if (!numbered) {
      parts.get(0).take(values);
      return;
    }
    int number = Integer.parseInt(new String(values[0], StandardCharsets.US_ASCII));
    int from = number == 0 ? 1 : ends[number - 1];
    parts.get(number).take(Arrays.copyOfRange(values, from, ends[number]));
    if (room() < 0) {
      throw tooMuch();
    }
  }

  @Override
  public AbelianException tooMuch() {
    return parts.get(0).tooMuch();
  }

  /** The rows of each part. */
  public List<RowCollection> parts() {
    return List.copyOf(parts);
  }

  /** One array literal for each column of each part; only once. */
  public List<ByteQueue> arrays() {
    List<ByteQueue> arrays = new ArrayList<>();
    parts.forEach(part -> arrays.addAll(part.arrays()));
    return arrays;
  }

  /** Gives up the memory. */
  public void close() {
    parts.forEach(RowCollection::close);
  }
}
