package org.abelian.workloads.rubis;

import java.time.Duration;

/**
 * Size and mix.
 *
 * @param items auctions that are open at the same time
 * @param cycle from one end of an auction to that of the next one with its popularity
 */
public record RubisOptions(int items, RubisMix mix, Duration cycle) {
  static final int REGIONS = 62;
  static final int CATEGORIES = 40;
  static final int BIDS_PER_ITEM = 10;
  private static final int PAPER_ITEMS = 30_000;
  private static final int USERS_PER_ITEM = 2;
  private static final Duration MINUTE = Duration.ofMinutes(1);

  public RubisOptions {
    if (items < 2) {
      throw new IllegalArgumentException("RUBiS needs at least two items");
    }
  }

  /** The paper's size times a factor. */
  public static RubisOptions of(double scale, RubisMix mix) {
    return new RubisOptions((int) (PAPER_ITEMS * scale), mix, MINUTE);
  }

  int users() {
    return items * USERS_PER_ITEM;
  }
}
