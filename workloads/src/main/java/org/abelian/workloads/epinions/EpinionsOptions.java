package org.abelian.workloads.epinions;

/**
 * Size.
 *
 * @param items that are reviewed; there are twice as many users
 */
public record EpinionsOptions(int items) {
  static final int REVIEWS_PER_ITEM = 20;
  static final int TRUSTED_PER_USER = 20;
  static final int BEST_RATING = 5;
  private static final int ITEMS = 1000;
  private static final int FEWEST = 10;

  public EpinionsOptions {
    if (items < FEWEST) {
      throw new IllegalArgumentException("EPinions needs at least " + FEWEST + " items");
    }
  }

  /** BenchBase's 1,000 items and 2,000 users times a factor. */
  public static EpinionsOptions of(double scale) {
    return new EpinionsOptions(Math.max((int) (ITEMS * scale), FEWEST));
  }

  int users() {
    return 2 * items;
  }
}
