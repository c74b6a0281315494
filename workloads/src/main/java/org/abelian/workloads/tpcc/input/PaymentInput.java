package org.abelian.workloads.tpcc.input;

import java.math.BigDecimal;

/** Input of Payment (clause 2.5.1). */
public record PaymentInput(int warehouse, int district, CustomerKey customer, BigDecimal amount)
    implements Input {
  @Override
  public TransactionType type() {
    return TransactionType.PAYMENT;
  }
}
