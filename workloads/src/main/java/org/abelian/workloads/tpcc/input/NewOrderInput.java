package org.abelian.workloads.tpcc.input;

import java.util.List;

/** Input of NewOrder (clause 2.4.1). */
public record NewOrderInput(int warehouse, int district, int customer, List<OrderLineInput> lines)
    implements Input {
  public NewOrderInput {
    lines = List.copyOf(lines);
  }

  @Override
  public TransactionType type() {
    return TransactionType.NEW_ORDER;
  }
}
