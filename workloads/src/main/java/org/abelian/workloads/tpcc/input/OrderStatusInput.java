package org.abelian.workloads.tpcc.input;

/** Input of OrderStatus (clause 2.6.1). */
public record OrderStatusInput(int warehouse, CustomerKey customer) implements Input {
  @Override
  public TransactionType type() {
    return TransactionType.ORDER_STATUS;
  }
}
