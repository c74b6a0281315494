package org.abelian.router.placement;

/**
 * The placement function: from a canonical key to a partition. It is part of the data format of a
 * cluster, so it never changes.
 *
 * <p>Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4): the key
 * times 2^64 divided by the golden ratio, of which the upper half is scaled to the partition count.
 * Consecutive numbers spread evenly. Texts are first brought to a number by 64-bit FNV-1a (Fowler,
 * Noll, Vo).
 */
public final class PartitionHash {
  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;
  private static final long FNV_OFFSET = 0xCBF29CE484222325L;
  private static final long FNV_PRIME = 0x100000001B3L;

  private PartitionHash() {}

  /** The partition of a canonical key, from 0 to count - 1. */
  public static int partition(long key, int count) {
    return (int) (((key * GOLDEN_RATIO) >>> 32) * count >>> 32);
  }

  /** The canonical key of several columns: that of those before, and the next one's. */
  static long combine(long before, long next) {
    return Long.rotateLeft(before * GOLDEN_RATIO, 31) ^ next;
  }

  /** The canonical key of a text. */
  public static long ofBytes(byte[] buffer, int offset, int length) {
    long hash = FNV_OFFSET;
    for (int at = offset; at < offset + length; at++) {
      hash = (hash ^ (buffer[at] & 0xFF)) * FNV_PRIME;
    }
    return hash;
  }
}
