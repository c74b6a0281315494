package org.abelian.advisor.workload;

import java.util.Arrays;

/** A growing array of numbers. */
final class Ints {
  private int[] values = new int[1024];
  private int size;

  void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, size + (size >> 1));
    }
    values[size++] = value;
  }

  int size() {
    return size;
  }

  int[] toArray() {
    return Arrays.copyOf(values, size);
  }
}
