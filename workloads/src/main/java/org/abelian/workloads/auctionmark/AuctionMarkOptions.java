package org.abelian.workloads.auctionmark;

/**
 * Size.
 *
 * @param items auctions that are open at the same time; there are as many users
 */
public record AuctionMarkOptions(int items) {
  static final int REGIONS = 75;
  static final int CATEGORIES = 100;
  static final int BIDS_PER_ITEM = 5;
  static final int WATCHED_PER_USER = 3;
  private static final int ITEMS = 10_000;
  private static final int FEWEST = 10;

  public AuctionMarkOptions {
    if (items < FEWEST) {
      throw new IllegalArgumentException("AuctionMark needs at least " + FEWEST + " items");
    }
  }

  /** 10,000 users and open auctions times a factor. */
  public static AuctionMarkOptions of(double scale) {
    return new AuctionMarkOptions(Math.max((int) (ITEMS * scale), FEWEST));
  }

  int users() {
    return items;
  }
}
