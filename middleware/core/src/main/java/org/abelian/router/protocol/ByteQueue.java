package org.abelian.router.protocol;

import java.util.Arrays;

/**
 * A growing array of bytes that is appended to at its end and consumed from its start. The bytes
 * lie at {@link #start()} (inclusive) to {@link #end()} (exclusive) of {@link #array()}; any append
 * may move them. Not thread-safe.
 */
public final class ByteQueue {
  private byte[] array;
  private int start;
  private int end;

  /** An empty queue with that much room to begin with. */
  public ByteQueue(int capacity) {
    array = new byte[capacity];
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

  /** Makes room for that many bytes at the end, moving what is there if need be. */
  public void reserve(int count) {
    if (array.length - end >= count) {
      return;
    }
    int size = end - start;
    if (array.length - size >= count && start >= size) {
      System.arraycopy(array, start, array, 0, size);
    } else {
      byte[] larger = new byte[Math.max(array.length * 2, Math.addExact(size, count))];
      System.arraycopy(array, start, larger, 0, size);
      array = larger;
    }
    start = 0;
    end = size;
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

  /** Removes everything, and gives back a large array. */
  public void clear(int keepCapacity) {
    start = 0;
    end = 0;
    if (array.length > keepCapacity) {
      array = new byte[keepCapacity];
    }
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
