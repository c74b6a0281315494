package org.abelian.workloads.tpcw;

/**
 * Size and mix.
 *
 * @param items in the shop
 * @param customers at the start; nine of ten have ordered
 */
public record TpcwOptions(int items, int customers, TpcwMix mix) {
  static final int SUBJECTS = 24;
  static final int COUNTRIES = 92;

  /** Orders of which the best sellers are those that sold most. */
  static final int RECENT = 3333;

  private static final int ITEMS = 10_000;
  private static final int CUSTOMERS = 28_800;
  private static final int FEWEST = 10;
  private static final int ITEMS_PER_AUTHOR = 4;

  public TpcwOptions {
    if (items < FEWEST || customers < FEWEST) {
      throw new IllegalArgumentException("TPC-W needs at least 10 items and 10 customers");
    }
  }

  /** 10,000 items and the customers of ten emulated browsers times a factor. */
  public static TpcwOptions of(double scale, TpcwMix mix) {
    return new TpcwOptions(
        Math.max((int) (ITEMS * scale), FEWEST), Math.max((int) (CUSTOMERS * scale), FEWEST), mix);
  }

  int authors() {
    return Math.max(items / ITEMS_PER_AUTHOR, 1);
  }

  int orders() {
    return customers * 9 / 10;
  }
}
