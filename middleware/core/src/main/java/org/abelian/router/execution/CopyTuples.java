package org.abelian.router.execution;

import java.util.Arrays;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;

/**
 * Divides the data of a binary COPY into rows. What is no such data is one piece to its end, about
 * which a node says what is wrong. Not thread-safe.
 */
final class CopyTuples {
  private static final byte[] SIGNATURE = {
    'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0
  };

  /** Signature, flags and the length of the extension. */
  private static final int HEADER = SIGNATURE.length + 8;

  /** A larger row is left to a node. */
  private static final int LARGEST_ROW = 64 << 20;

  /** Takes the pieces. */
  interface Taker {
    /** What comes before the rows. */
    void header(byte[] array, int from, int to);

    /** One row. */
    void row(byte[] array, int from, int to);

    /** What is no row: the end of the data, or what a node is to refuse. */
    void rest(byte[] array, int from, int to);
  }

  private final int width;
  private final Taker taker;
  private final ByteQueue pending = new ByteQueue(8192);
  private boolean begun;
  private boolean ended;

  /**
   * @param width how many columns a row has
   */
  CopyTuples(int width, Taker taker) {
    this.width = width;
    this.taker = taker;
  }

  /** More data. */
  void add(byte[] array, int from, int length) {
    pending.append(array, from, length);
    while (!ended && !pending.isEmpty()) {
      int next = begun ? row() : header();
      if (next == 0) {
        return;
      }
      pending.consume(next);
    }
    rest();
  }

  /** All data has come. */
  void end() {
    rest();
  }

  private void rest() {
    if (!pending.isEmpty()) {
      taker.rest(pending.array(), pending.start(), pending.end());
      pending.clear(8192);
    }
  }

  /** The length of the header; 0 when not all of it is there, or it is none. */
  private int header() {
    int at = pending.start();
    int known = Math.min(pending.size(), SIGNATURE.length);
    if (!Arrays.equals(pending.array(), at, at + known, SIGNATURE, 0, known)) {
      return foreign();
    } else if (pending.size() < HEADER) {
      return 0;
    }
    int extension = BigEndian.int4(pending.array(), at + HEADER - 4);
    if (extension < 0 || extension > LARGEST_ROW) {
      return foreign();
    } else if (pending.size() < HEADER + extension) {
      return 0;
    }
    taker.header(pending.array(), at, at + HEADER + extension);
    begun = true;
    return HEADER + extension;
  }

  /** The length of the next row; 0 when not all of it is there, or no row follows. */
  private int row() {
    if (pending.size() < 2) {
      return 0;
    }
    byte[] array = pending.array();
    int at = pending.start();
    int fields = BigEndian.int2(array, at);
    if (fields != width) {
      return foreign();
    }
    long next = at + 2L;
    for (int field = 0; field < fields; field++) {
      if (next + 4 > pending.end()) {
        return 0;
      }
      int length = BigEndian.int4(array, (int) next);
      if (length < -1 || next - at + length > LARGEST_ROW) {
        return foreign();
      }
      next += 4L + Math.max(length, 0);
    }
    if (next > pending.end()) {
      return 0;
    }
    taker.row(array, at, (int) next);
    return (int) next - at;
  }

  private int foreign() {
    ended = true;
    rest();
    return 0;
  }
}
