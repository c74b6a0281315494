package org.abelian.workloads.tpcc.input;

/** Input of Delivery (clause 2.7.1). */
public record DeliveryInput(int warehouse, int carrier) implements Input {
  @Override
  public TransactionType type() {
    return TransactionType.DELIVERY;
  }
}
