package org.abelian.router.protocol;

/** Integers in network byte order within byte arrays. */
public final class BigEndian {
  private BigEndian() {}

  /** The signed 16-bit integer at an index. */
  public static int int2(byte[] array, int index) {
    return (short) ((array[index] & 255) << 8 | array[index + 1] & 255);
  }

  /** The signed 32-bit integer at an index. */
  public static int int4(byte[] array, int index) {
    return (array[index] & 255) << 24
        | (array[index + 1] & 255) << 16
        | (array[index + 2] & 255) << 8
        | array[index + 3] & 255;
  }

  /** Reads eight bytes. */
  public static long int8(byte[] array, int at) {
    return (long) int4(array, at) << 32 | int4(array, at + 4) & 0xffffffffL;
  }

  /** Stores a 16-bit integer. */
  public static void putInt2(byte[] array, int index, int value) {
    array[index] = (byte) (value >>> 8);
    array[index + 1] = (byte) value;
  }

  /** Stores a 32-bit integer. */
  public static void putInt4(byte[] array, int index, int value) {
    array[index] = (byte) (value >>> 24);
    array[index + 1] = (byte) (value >>> 16);
    array[index + 2] = (byte) (value >>> 8);
    array[index + 3] = (byte) value;
  }
}
