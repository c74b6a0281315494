package org.abelian.router.execution;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.protocol.ByteQueue;

/** Rows of a COPY that wait for values which they get before their own. */
final class CopyStage {
  private static final int BYTES = 65536;
  private static final int ROWS = 4096;

  /** Where a row stands, relative to the start; {@code next} is behind the end of its line. */
  record Row(int from, int to, int next) {}

  private final ByteQueue bytes = new ByteQueue(8192);
  private final List<Row> rows = new ArrayList<>();

  /** Copies a row. */
  void add(byte[] array, int from, int to, int next) {
    int at = bytes.size();
    bytes.append(array, from, next - from);
    rows.add(new Row(at, at + to - from, at + next - from));
  }

  List<Row> rows() {
    return rows;
  }

  byte[] array() {
    return bytes.array();
  }

  int start() {
    return bytes.start();
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  /** True when values should be fetched for what is there. */
  boolean isLarge() {
    return bytes.size() >= BYTES || rows.size() >= ROWS;
  }

  void clear() {
    rows.clear();
    bytes.clear(BYTES * 2);
  }
}
