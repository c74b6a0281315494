package org.abelian.models.independent;

import java.util.Arrays;

/** A set of numbers that takes little memory for each. */
final class LongSet {
  private static final int INITIAL = 1 << 16;

  private long[] slots = new long[INITIAL];
  private long size;

  /** False if it was there. 0 counts as always there. */
  boolean add(long value) {
    if (value == 0 || !put(slots, value)) {
      return false;
    }
    size++;
    if (size * 2 > slots.length) {
      long[] wider = new long[slots.length * 2];
      Arrays.stream(slots).filter(slot -> slot != 0).forEach(slot -> put(wider, slot));
      slots = wider;
    }
    return true;
  }

  private static boolean put(long[] slots, long value) {
    int mask = slots.length - 1;
    int at = (int) (value ^ value >>> 32) & mask;
    while (slots[at] != 0) {
      if (slots[at] == value) {
        return false;
      }
      at = (at + 1) & mask;
    }
    slots[at] = value;
    return true;
  }

  long size() {
    return size;
  }
}
