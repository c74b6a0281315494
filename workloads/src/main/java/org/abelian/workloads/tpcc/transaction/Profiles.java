package org.abelian.workloads.tpcc.transaction;

import java.sql.SQLException;
import org.abelian.workloads.tpcc.input.DeliveryInput;
import org.abelian.workloads.tpcc.input.Input;
import org.abelian.workloads.tpcc.input.NewOrderInput;
import org.abelian.workloads.tpcc.input.OrderStatusInput;
import org.abelian.workloads.tpcc.input.PaymentInput;
import org.abelian.workloads.tpcc.input.StockLevelInput;

/** The five profiles on one connection. Not thread-safe. */
public final class Profiles {
  private final boolean procedures;
  private final NewOrder newOrder;
  private final NewOrderCall newOrderCall;
  private final Payment payment;
  private final PaymentCall paymentCall;
  private final OrderStatus orderStatus;
  private final Delivery delivery;
  private final StockLevel stockLevel;

  /**
   * @param procedures true to run NewOrder and Payment as calls of distributed procedures
   */
  public Profiles(Statements statements, Clock clock, boolean procedures) {
    this.procedures = procedures;
    newOrderCall = new NewOrderCall(statements, clock);
    CustomerLookup lookup = new CustomerLookup(statements);
    newOrder = new NewOrder(statements, clock);
    payment = new Payment(statements, lookup, clock);
    paymentCall = new PaymentCall(statements, lookup, clock);
    orderStatus = new OrderStatus(statements, lookup);
    delivery = new Delivery(statements, clock);
    stockLevel = new StockLevel(statements);
  }

  /**
   * Executes the profile of an input up to, but without, its COMMIT or ROLLBACK; of a procedure,
   * with it.
   */
  public Receipt execute(Input input) throws SQLException {
    if (input instanceof NewOrderInput in) {
      return procedures ? newOrderCall.execute(in) : newOrder.execute(in);
    } else if (input instanceof PaymentInput in) {
      return procedures ? paymentCall.execute(in) : payment.execute(in);
    } else if (input instanceof OrderStatusInput in) {
      return orderStatus.execute(in);
    } else if (input instanceof DeliveryInput in) {
      return delivery.execute(in);
    } else if (input instanceof StockLevelInput in) {
      return stockLevel.execute(in);
    }
    throw new IllegalArgumentException("unknown input " + input);
  }
}
