package org.abelian.workloads.tpcc.input;

/** What a user asks one transaction to do. */
public sealed interface Input
    permits NewOrderInput, PaymentInput, OrderStatusInput, DeliveryInput, StockLevelInput {
  TransactionType type();

  /** The terminal's warehouse. */
  int warehouse();
}
