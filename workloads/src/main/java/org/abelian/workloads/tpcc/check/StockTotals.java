package org.abelian.workloads.tpcc.check;

/** Stock taken from one warehouse, by its stock rows or by the order lines that it supplied. */
final class StockTotals {
  long quantity;
  long lines;
  long remoteLines;

  @Override
  public String toString() {
    return "quantity %d, lines %d, remote %d".formatted(quantity, lines, remoteLines);
  }

  boolean sameAs(StockTotals other) {
    return quantity == other.quantity && lines == other.lines && remoteLines == other.remoteLines;
  }
}
