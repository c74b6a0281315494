package org.abelian.workloads.tpcc.schema;

/**
 * Which column types the totals of TPC-C get.
 *
 * <p>Counters are the columns that the five profiles change only by adding, in statements that
 * change nothing else: W_YTD, D_YTD, C_BALANCE, C_YTD_PAYMENT, C_PAYMENT_CNT and C_DELIVERY_CNT.
 * With them, Payments of one warehouse pass each other, and Payment passes NewOrder on the district
 * row.
 *
 * <p>Not counters: D_NEXT_O_ID, whose old value names the order, and S_QUANTITY, whose change
 * depends on its value. S_YTD, S_ORDER_CNT and S_REMOTE_CNT do commute, but NewOrder changes them
 * together with S_QUANTITY, whose row lock it holds anyway: counters would cost space and locks and
 * free nobody.
 */
public enum ColumnKind {
  /** PostgreSQL's own types everywhere. */
  PLAIN("numeric(12,2)", "integer"),
  /** Abelian column types where operations commute. */
  COUNTER("abelian.decimal_counter", "abelian.counter");

  private final String moneyTotal;
  private final String count;

  ColumnKind(String moneyTotal, String count) {
    this.moneyTotal = moneyTotal;
    this.count = count;
  }

  /** SQL type of a sum of money that only additions change. */
  public String moneyTotal() {
    return moneyTotal;
  }

  /** SQL type of a count that only additions change. */
  public String count() {
    return count;
  }
}
