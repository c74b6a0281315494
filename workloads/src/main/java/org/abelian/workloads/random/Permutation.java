package org.abelian.workloads.random;

import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Numbers in a random order. */
public final class Permutation {
  private Permutation() {}

  /** The numbers from 0 up to a size, each once. */
  public static int[] draw(int size, SplittableRandom random) {
    int[] numbers = IntStream.range(0, size).toArray();
    for (int i = size - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int number = numbers[i];
      numbers[i] = numbers[other];
      numbers[other] = number;
    }
    return numbers;
  }
}
