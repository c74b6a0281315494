package org.abelian.router.execution;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.error.AbelianException;
import org.abelian.router.protocol.MemoryBudget;

/** Rows on their way from the nodes that select them to those that store them. */
public final class GatheredRows implements RowSink {
  /** What a value takes beside its bytes, about. */
  private static final int PER_VALUE = 24;

  private final long limit;
  private final MemoryBudget memory;
  private final boolean moves;
  private final List<byte[][]> rows = new ArrayList<>();
  private long bytes;

  /**
   * @param limit bytes that may be kept
   * @param memory counts what is kept
   */
  public GatheredRows(long limit, MemoryBudget memory) {
    this(limit, memory, false);
  }

  private GatheredRows(long limit, MemoryBudget memory, boolean moves) {
    this.limit = limit;
    this.memory = memory;
    this.moves = moves;
  }

  /** Those that an UPDATE gives other nodes. */
  public static GatheredRows moved(long limit, MemoryBudget memory) {
    return new GatheredRows(limit, memory, true);
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
    return ExchangeLimit.exceeded(
        moves ? "move" : "insert",
        limit,
        rows.size(),
        moves
            ? "Move them in several statements."
            : "Insert them in several statements, or by COPY.");
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
