package org.abelian.workloads.like;

/**
 * Size and mix of LIKE.
 *
 * @param users who like, each as often as any other
 * @param pages that are liked
 * @param zipf exponent of the pages' popularity
 * @param readPercent share of reads, the others are likes
 */
public record LikeOptions(int users, int pages, double zipf, int readPercent) {
  private static final int PAPER_SIZE = 1_000_000;
  private static final double SKEWED = 1.4;

  /**
   * Skewed, with the paper's million users and million pages.
   *
   * @param scale a factor of both
   */
  public static LikeOptions of(double scale, int readPercent) {
    int size = Math.max((int) (PAPER_SIZE * scale), 1);
    return new LikeOptions(size, size, SKEWED, readPercent);
  }
}
