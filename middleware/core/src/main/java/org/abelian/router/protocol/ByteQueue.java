package org.abelian.router.protocol;

import java.util.Arrays;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/**
 * A growing array of bytes that is appended to at its end and consumed from its start. The bytes
 * lie at {@link #start()} (inclusive) to {@link #end()} (exclusive) of {@link #array()}; any append
 * may move them. Not thread-safe.
 */
public final class ByteQueue {
  private static final byte[] NONE = {};

  /** What a queue that counts begins with: most sessions never need more. */
  private static final int FIRST = 1024;

  /** No Java array is longer. */
  private static final int LONGEST = Integer.MAX_VALUE - 8;

  private final int free;
  private final MemoryBudget budget;
  private byte[] array;
  private int start;
  private int end;

  /** An empty queue with that much room to begin with. */
  public ByteQueue(int capacity) {
    this(capacity, null);
  }

  /**
   * An empty queue that counts what it takes beyond a room, to which it grows when it needs it.
   *
   * @param budget null to count nothing, and have the room at once
   */
  public ByteQueue(int capacity, MemoryBudget budget) {
    free = capacity;
    this.budget = budget;
    array = new byte[budget == null ? capacity : Math.min(capacity, FIRST)];
  }

  /** A queue of these bytes, which are copied. */
  public static ByteQueue of(byte[] bytes) {
    ByteQueue queue = new ByteQueue(bytes.length);
    queue.append(bytes, 0, bytes.length);
    return queue;
  }

  /** The array that holds the bytes now. */
  public byte[] array() {
    return array;
  }

  /** Index of the first byte. */
  public int start() {
    return start;
  }

  /** Index after the last byte. */
  public int end() {
    return end;
  }

  /** The number of bytes. */
  public int size() {
    return end - start;
  }

  /** True when there are none. */
  public boolean isEmpty() {
    return start == end;
  }

  /**
   * Makes room for that many bytes at the end, moving what is there if need be.
   *
   * @throws AbelianException 53200 when neither budget nor heap has room for a large queue, which
   *     then is as before
   */
  public void reserve(int count) {
    reserve(count, false);
  }

  private void reserve(int count, boolean anyway) {
    if (array.length - end >= count) {
      return;
    }
    int size = end - start;
    if (array.length - size >= count && start >= size) {
      System.arraycopy(array, start, array, 0, size);
    } else {
      byte[] larger = allocate(capacity((long) size + count), anyway);
      System.arraycopy(array, start, larger, 0, size);
      array = larger;
    }
    start = 0;
    end = size;
  }

  private int capacity(long needed) {
    if (needed > LONGEST) {
      throw new AbelianException(
          SqlState.PROGRAM_LIMIT_EXCEEDED, needed + " bytes are too much for one buffer", null);
    }
    return (int) Math.min(Math.max(array.length * 2L, needed), LONGEST);
  }

  /** A new array, which is counted in place of the present one. */
  private byte[] allocate(int capacity, boolean anyway) {
    if (budget == null) {
      return new byte[capacity];
    }
    long more = counted(capacity) - counted(array.length);
    if (more <= 0 || anyway || capacity <= MemoryBudget.SMALL) {
      budget.takeAnyway(more);
    } else {
      budget.take(more);
    }
    try {
      return new byte[capacity];
    } catch (OutOfMemoryError e) {
      // The heap may have no piece of that size though the budget has: what is there stays usable.
      budget.give(more);
      throw budget.exhausted(more);
    }
  }

  private long counted(int capacity) {
    return Math.max(0, capacity - free);
  }

  /** Counts bytes as appended that were written into the array after {@link #reserve}. */
  public void extend(int count) {
    end += count;
  }

  /** Appends a piece of an array. */
  public void append(byte[] source, int offset, int length) {
    reserve(length);
    System.arraycopy(source, offset, array, end, length);
    end += length;
  }

  /** Appends a small piece of an array, also when the budget has no room for it. */
  public void appendAnyway(byte[] source, int offset, int length) {
    reserve(length, true);
    append(source, offset, length);
  }

  /** Appends an array. */
  public void append(byte[] source) {
    append(source, 0, source.length);
  }

  /** Removes bytes from the start. */
  public void consume(int count) {
    start += count;
    if (start == end) {
      start = 0;
      end = 0;
    }
  }

  /** Removes bytes from the end so that this many remain. */
  public void truncate(int size) {
    end = start + size;
  }

  /** Removes a piece that starts so many bytes after the first; what is less to move is moved. */
  public void remove(int offset, int count) {
    if (offset < size() - offset - count) {
      System.arraycopy(array, start, array, start + count, offset);
      consume(count);
      return;
    }
    int from = start + offset + count;
    System.arraycopy(array, from, array, from - count, end - from);
    end -= count;
  }

  /** Removes everything, and gives back a large array. */
  public void clear(int keepCapacity) {
    start = 0;
    end = 0;
    if (array.length > keepCapacity) {
      array = allocate(keepCapacity, true);
    }
  }

  /** Removes everything for good: its memory is not counted any more. */
  public void close() {
    start = 0;
    end = 0;
    if (budget != null) {
      budget.give(counted(array.length));
    }
    array = NONE;
  }

  /** Removes everything. */
  public void clear() {
    start = 0;
    end = 0;
  }

  /** True when at least one whole typed frame is there. */
  public boolean hasFrame() {
    return frameAt(start) > 0;
  }

  /**
   * The length of the typed frame at an index, its type byte included; 0 unless all of it is there.
   */
  public int frameAt(int index) {
    if (end - index < 5) {
      return 0;
    }
    int length = 1 + BigEndian.int4(array, index + 1);
    return end - index < length ? 0 : length;
  }

  /** A copy of the bytes. */
  public byte[] toByteArray() {
    return Arrays.copyOfRange(array, start, end);
  }
}
