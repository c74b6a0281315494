package org.abelian.workloads.tpcc.input;

/** Input of StockLevel (clause 2.8.1). */
public record StockLevelInput(int warehouse, int district, int threshold) implements Input {
  @Override
  public TransactionType type() {
    return TransactionType.STOCK_LEVEL;
  }
}
