package org.abelian.workloads.tpcc.random;

/**
 * The three non-uniform distributions of one run (clause 2.1.6).
 *
 * @param lastName number of a customer's last name, A = 255
 * @param customer customer id, A = 1023
 * @param item item id, A = 8191
 */
public record NuRandConstants(NuRand lastName, NuRand customer, NuRand item) {
  private static final int A_LAST_NAME = 255;
  private static final int A_CUSTOMER = 1023;
  private static final int A_ITEM = 8191;

  /**
   * C of C_LAST at load time. Any value in [0, 255] is legal; a fixed one lets a run obey 2.1.6.1.
   */
  private static final int C_LAST_NAME_LOAD = 157;

  /** The constants of the initial population. */
  public static NuRandConstants forLoad(TpccRandom random) {
    return draw(random, C_LAST_NAME_LOAD);
  }

  /** Constants of a measured run, whose C for C_LAST keeps the distance that 2.1.6.1 demands. */
  public static NuRandConstants forRun(TpccRandom random) {
    int c;
    do {
      c = random.uniform(0, A_LAST_NAME);
    } while (!isLegalDistance(Math.abs(c - C_LAST_NAME_LOAD)));
    return draw(random, c);
  }

  /** The distance of the two C within [65, 119], without 96 and 112 (clause 2.1.6.1). */
  static boolean isLegalDistance(int delta) {
    return delta >= 65 && delta <= 119 && delta != 96 && delta != 112;
  }

  private static NuRandConstants draw(TpccRandom random, int cLastName) {
    return new NuRandConstants(
        new NuRand(A_LAST_NAME, cLastName),
        new NuRand(A_CUSTOMER, random.uniform(0, A_CUSTOMER)),
        new NuRand(A_ITEM, random.uniform(0, A_ITEM)));
  }
}
