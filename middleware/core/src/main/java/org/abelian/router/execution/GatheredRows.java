package org.abelian.router.execution;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.error.AbelianException;
import org.abelian.router.protocol.MemoryBudget;

/** Rows on their way from the nodes that select them to those that store them, or to the client. */
public final class GatheredRows implements RowSink {
  /** What a value takes beside its bytes, about. */
  private static final int PER_VALUE = 24;

  private final long limit;
  private final MemoryBudget memory;
  private final String does;
  private final String hint;
  private final List<byte[][]> rows = new ArrayList<>();
  private long bytes;

  /**
   * @param limit bytes that may be kept
   * @param memory counts what is kept
   */
  public GatheredRows(long limit, MemoryBudget memory) {
    this(limit, memory, "insert", "Insert them in several statements, or by COPY.");
  }

  private GatheredRows(long limit, MemoryBudget memory, String does, String hint) {
    this.limit = limit;
    this.memory = memory;
    this.does = does;
    this.hint = hint;
  }

  /** Those that an UPDATE gives other nodes. */
  public static GatheredRows moved(long limit, MemoryBudget memory) {
    return new GatheredRows(limit, memory, "move", "Move them in several statements.");
  }

  /** Those that a client takes in portions. */
  public static GatheredRows fetched(long limit, MemoryBudget memory) {
    return new GatheredRows(limit, memory, "keep", "FETCH fewer rows at once.");
  }

  @Override
  public void take(byte[][] values) {
    long more = PER_VALUE;
    for (byte[] value : values) {
      more += PER_VALUE + (value == null ? 0 : value.length);
    }
    if (more > room()) {
      throw tooMuch();
    }
    memory.take(more);
    bytes += more;
    rows.add(values);
  }

  @Override
  public long room() {
    return limit - bytes;
  }

  @Override
  public AbelianException tooMuch() {
    return ExchangeLimit.exceeded(does, limit, rows.size(), hint);
  }

  /** In the order in which they came. */
  public List<byte[][]> rows() {
    return rows;
  }

  /** Gives up the memory. */
  public void close() {
    memory.give(bytes);
    bytes = 0;
    rows.clear();
  }
}
