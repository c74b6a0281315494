package org.abelian.workloads.tpcc.schema;

/**
 * Size of a TPC-C database (clause 1.2.1). Everything but the number of warehouses is fixed by the
 * specification; smaller values serve tests.
 *
 * @param warehouses number of warehouses
 * @param items rows of ITEM, and stock rows per warehouse
 * @param customersPerDistrict customers, and initial orders, of a district
 */
public record Scale(int warehouses, int items, int customersPerDistrict) {
  public static final int DISTRICTS = 10;
  private static final int ITEMS = 100_000;
  private static final int CUSTOMERS = 3_000;

  public Scale {
    if (warehouses < 1 || items < 20 || customersPerDistrict < 10) {
      throw new IllegalArgumentException(
          "a TPC-C database needs at least 1 warehouse, 20 items and 10 customers per district");
    }
  }

  /** The specified size. */
  public static Scale specified(int warehouses) {
    return new Scale(warehouses, ITEMS, CUSTOMERS);
  }

  /**
   * Initial orders of a district that are delivered: 2,100 of 3,000 (clause 4.3.3.1).
   *
   * @param initialOrders initial orders of the district
   */
  public static int delivered(int initialOrders) {
    return initialOrders * 7 / 10;
  }
}
