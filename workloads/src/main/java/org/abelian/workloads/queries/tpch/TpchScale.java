package org.abelian.workloads.queries.tpch;

/**
 * Size of the database (clause 4.2.5).
 *
 * @param factor 1 means 6,000,000 lineitems
 */
record TpchScale(double factor) {
  static final double SMALLEST = 0.001;

  private static final double LARGEST_FRACTION = 0.01;

  TpchScale {
    if (factor < SMALLEST) {
      throw new IllegalArgumentException("TPC-H needs a scale of at least " + SMALLEST);
    }
  }

  int suppliers() {
    return times(10_000);
  }

  int parts() {
    return times(200_000);
  }

  int customers() {
    return times(150_000);
  }

  int orders() {
    return times(1_500_000);
  }

  int clerks() {
    return times(1_000);
  }

  private int times(int rows) {
    return (int) Math.round(rows * factor);
  }

  /**
   * The fraction of query 11 (clause 2.4.11.3). On databases smaller than the specification knows,
   * not so great that no part has it.
   */
  double fraction() {
    return Math.min(0.0001 / factor, LARGEST_FRACTION);
  }

  /**
   * A supplier of a part (clause 4.2.3). The step from one supplier to the next stays below a third
   * of all, so that the four are different ones in small databases, too.
   *
   * @param place from 0 to 3
   */
  int supplier(int part, int place) {
    int all = suppliers();
    int step = all / 4 + (part - 1) / all % Math.max(1, all / 12);
    return (part + place * step) % all + 1;
  }
}
