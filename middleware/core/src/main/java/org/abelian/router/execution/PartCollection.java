package org.abelian.router.execution;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.abelian.router.error.AbelianException;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.MemoryBudget;

/**
 * Rows collected from several nodes, to be passed as parameters to one node or to several. Where
 * they are of several tables, the first column of a row is the number of its part. Each part has
 * columns of its own, which are NULL in rows of the others and are not kept for those. A part may
 * be divided: then each target node gets its own share.
 */
public final class PartCollection implements RowSink {
  private final boolean numbered;
  private final long limit;

  /** Of each part all rows, or the share of each target. */
  private final List<List<RowCollection>> parts = new ArrayList<>();

  private final Map<Integer, ToIntFunction<byte[][]>> targets;
  private final int[] ends;
  private long kept;

  /**
   * @param columnCounts of each part
   * @param numbered whether rows begin with the number of their part; else there is one part
   * @param targets gives the target of a row, from 0, for each part that is divided
   * @param targetCount how many targets there are
   * @param limit bytes that may be kept in all
   * @param memory counts what is kept
   */
  public PartCollection(
      List<Integer> columnCounts,
      boolean numbered,
      Map<Integer, ToIntFunction<byte[][]>> targets,
      int targetCount,
      long limit,
      MemoryBudget memory) {
    this.numbered = numbered;
    this.targets = Map.copyOf(targets);
    this.limit = limit;
    ends = new int[columnCounts.size()];
    int end = 1;
    for (int i = 0; i < ends.length; i++) {
      end += columnCounts.get(i);
      ends[i] = end;
      List<RowCollection> part = new ArrayList<>();
      for (int target = targets.containsKey(i) ? targetCount : 1; target > 0; target--) {
        part.add(new RowCollection(columnCounts.get(i), limit, memory));
      }
      parts.add(part);
    }
  }

  @Override
  public long room() {
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
      keep(0, values);
      return;
    }
    int number = Integer.parseInt(new String(values[0], StandardCharsets.US_ASCII));
    int from = number == 0 ? 1 : ends[number - 1];
    keep(number, Arrays.copyOfRange(values, from, ends[number]));
  }

  private void keep(int number, byte[][] row) {
    ToIntFunction<byte[][]> target = targets.get(number);
    parts.get(number).get(target == null ? 0 : target.applyAsInt(row)).take(row);
    kept += RowCollection.sizeOf(row);
    if (kept > limit) {
      throw tooMuch();
    }
  }

  @Override
  public AbelianException tooMuch() {
    return parts.get(0).get(0).tooMuch();
  }

  /** How many parts there are. */
  public int count() {
    return parts.size();
  }

  /** The rows of a part: all of them, or where it is divided, the share of each target. */
  public List<RowCollection> part(int number) {
    return List.copyOf(parts.get(number));
  }

  /**
   * The rows of each part.
   *
   * @throws IllegalStateException if a part is divided
   */
  public List<RowCollection> parts() {
    requireUndivided();
    return parts.stream().map(part -> part.get(0)).toList();
  }

  private void requireUndivided() {
    if (!targets.isEmpty()) {
      throw new IllegalStateException("the rows are divided between several nodes");
    }
  }

  /**
   * One array literal for each column of each part. May be called only once.
   *
   * @throws IllegalStateException if a part is divided
   */
  public List<ByteQueue> arrays() {
    requireUndivided();
    return arrays(1).get(0);
  }

  /**
   * For each target node, one array literal for each column of each part. May be called only once.
   *
   * @param targetCount how many targets there are
   */
  public List<List<ByteQueue>> arrays(int targetCount) {
    List<List<ByteQueue>> arrays = new ArrayList<>();
    for (int target = 0; target < targetCount; target++) {
      arrays.add(new ArrayList<>());
    }
    for (List<RowCollection> part : parts) {
      List<List<ByteQueue>> columns = part.stream().map(RowCollection::arrays).toList();
      for (int target = 0; target < targetCount; target++) {
        arrays.get(target).addAll(columns.get(columns.size() == 1 ? 0 : target));
      }
    }
    return arrays;
  }

  /** Gives up the memory. */
  public void close() {
    parts.forEach(part -> part.forEach(RowCollection::close));
  }
}
