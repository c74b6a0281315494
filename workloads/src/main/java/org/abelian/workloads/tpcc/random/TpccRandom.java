package org.abelian.workloads.tpcc.random;

import java.util.SplittableRandom;

/**
 * Seeded source of the random values of clause 4.3.2. Not thread-safe: one per terminal or task.
 */
public final class TpccRandom {
  private static final String ALPHANUMERIC =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  private static final int DIGITS = 10;

  private final SplittableRandom random;

  public TpccRandom(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /**
   * A source for one task of many: tasks with different names draw independent values, the same
   * name and seed draw the same ones whatever the number of threads.
   */
  public static TpccRandom forTask(long seed, String task) {
    return new TpccRandom(seed * 0x9E3779B97F4A7C15L + fnv1a(task));
  }

  private static long fnv1a(String text) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
    }
    return hash;
  }

  /** Uniform over [low, high], both inclusive (clause 4.3.2.5). */
  public int uniform(int low, int high) {
    return random.nextInt(low, high + 1);
  }

  /** Uniform over [0, 1). */
  public double fraction() {
    return random.nextDouble();
  }

  /** True in {@code percent} of 100 cases. */
  public boolean chance(double percent) {
    return random.nextDouble() * 100 < percent;
  }

  /** Random a-string of a length within [low, high] (clause 4.3.2.2). */
  public String alphanumeric(int low, int high) {
    return draw(uniform(low, high), ALPHANUMERIC.length());
  }

  /** Random n-string of a length within [low, high] (clause 4.3.2.2). */
  public String numeric(int low, int high) {
    int length = uniform(low, high);
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append((char) ('0' + random.nextInt(DIGITS)));
    }
    return text.toString();
  }

  private String draw(int length, int alphabet) {
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append(ALPHANUMERIC.charAt(random.nextInt(alphabet)));
    }
    return text.toString();
  }

  /** Zip code: a random n-string of four digits and "11111" (clause 4.3.2.7). */
  public String zip() {
    return numeric(4, 4) + "11111";
  }

  /** I_DATA or S_DATA: an a-string that contains "ORIGINAL" in 10% of cases (clause 4.3.3.1). */
  public String originalData() {
    String data = alphanumeric(26, 50);
    if (!chance(10)) {
      return data;
    }
    String mark = "ORIGINAL";
    int at = uniform(0, data.length() - mark.length());
    return data.substring(0, at) + mark + data.substring(at + mark.length());
  }

  /** A random permutation of 1..n. */
  public int[] permutation(int n) {
    int[] values = new int[n];
    for (int i = 0; i < n; i++) {
      int j = uniform(0, i);
      values[i] = values[j];
      values[j] = i + 1;
    }
    return values;
  }
}
