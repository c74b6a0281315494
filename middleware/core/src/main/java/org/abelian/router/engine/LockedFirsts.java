package org.abelian.router.engine;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.RowCollection;
import org.abelian.router.execution.RowSink;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.MemoryBudget;

/**
 * The rows that several nodes have locked in an open transaction, each its own first ones. Those
 * that are not among the first ones of all are not the client's. A node that none of the client's
 * are from goes back to a savepoint made before, and so locks none any more.
 */
final class LockedFirsts {
  private static final String NAME = "\"abelian locks first rows\"";
  private static final NodeStatement SAVEPOINT = NodeStatement.of("SAVEPOINT " + NAME);
  private static final NodeStatement RELEASE = NodeStatement.of("RELEASE SAVEPOINT " + NAME);
  private static final NodeStatement ROLLBACK = NodeStatement.of("ROLLBACK TO SAVEPOINT " + NAME);

  private final EngineContext context;
  private final List<byte[][]> rows = new ArrayList<>();
  private final RowCollection columns;

  /** For each node how many rows it and those before it have given. */
  private final int[] ends;

  /**
   * @param columnCount of each row
   * @param limit bytes that may be kept
   */
  LockedFirsts(EngineContext context, int nodes, int columnCount, long limit) {
    this.context = context;
    MemoryBudget memory = context.memory();
    this.columns = new RowCollection(columnCount, limit, memory);
    this.ends = new int[nodes];
  }

  /** A node is about to lock rows. */
  static void mark(EngineContext context, Backend backend) {
    context.transactions().inject(backend, SAVEPOINT, false);
  }

  /** Takes the rows of a node; all nodes give theirs in their order. */
  RowSink of(int place) {
    return new RowSink() {
      @Override
      public void take(byte[][] values) {
        columns.take(values);
        rows.add(values);
        Arrays.fill(ends, place, ends.length, rows.size());
      }

      @Override
      public long room() {
        return columns.room();
      }

      @Override
      public AbelianException tooMuch() {
        return columns.tooMuch();
      }
    };
  }

  /** True when all rows are of one node, so that they are the first ones of all. */
  boolean areOfOneNode() {
    int nodes = 0;
    for (int place = 0; place < ends.length; place++) {
      nodes += ends[place] > begin(place) ? 1 : 0;
    }
    return nodes < 2;
  }

  private int begin(int place) {
    return place == 0 ? 0 : ends[place - 1];
  }

  /** One array literal for each column of all rows; only once. */
  List<ByteQueue> arrays() {
    return columns.arrays();
  }

  /** Takes the answer that says which rows are the client's, by their places from 1. */
  static RowSink into(BitSet taken) {
    return values ->
        taken.set(Integer.parseInt(new String(values[0], StandardCharsets.US_ASCII)) - 1);
  }

  /** Has nodes release what is not the client's, and gives the rows that are. */
  void settle(List<Backend> backends, BitSet taken, RowSink sink) {
    for (int place = 0; place < ends.length; place++) {
      int next = taken.nextSetBit(begin(place));
      if (next < 0 || next >= ends[place]) {
        context.transactions().inject(backends.get(place), ROLLBACK, false);
      }
      context.transactions().inject(backends.get(place), RELEASE, false);
    }
    taken.stream().forEach(row -> sink.take(rows.get(row)));
  }

  /** True for all rows. */
  BitSet all() {
    BitSet all = new BitSet();
    all.set(0, rows.size());
    return all;
  }

  /** Gives up the memory. */
  void close() {
    columns.close();
  }
}
