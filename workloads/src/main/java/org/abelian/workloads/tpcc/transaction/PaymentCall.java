package org.abelian.workloads.tpcc.transaction;

import java.sql.SQLException;
import org.abelian.workloads.tpcc.input.CustomerKey;
import org.abelian.workloads.tpcc.input.PaymentInput;
import org.abelian.workloads.tpcc.journal.PaymentKey;

/**
 * Payment (clause 2.5.2) as one call of a distributed procedure, which commits by itself. A
 * customer who is known by name is looked up before: names and numbers never change.
 */
final class PaymentCall {
  private static final String CALL = "CALL tpcc_payment(?, ?, ?, ?, ?, ?, ?)";

  private final Statements statements;
  private final CustomerLookup lookup;
  private final Clock clock;

  PaymentCall(Statements statements, CustomerLookup lookup, Clock clock) {
    this.statements = statements;
    this.lookup = lookup;
    this.clock = clock;
  }

  Receipt execute(PaymentInput in) throws SQLException {
    CustomerKey customer = in.customer();
    statements.connection().setAutoCommit(true);
    try {
      int id = lookup.idOf(customer);
      long paid = clock.next();
      statements
          .bind(
              CALL,
              in.warehouse(),
              in.district(),
              customer.warehouse(),
              customer.district(),
              id,
              in.amount(),
              Clock.timestamp(paid))
          .execute();
      return Receipt.of(
          new PaymentKey(
              in.warehouse(),
              in.district(),
              customer.warehouse(),
              customer.district(),
              id,
              paid,
              in.amount().movePointRight(2).longValueExact()));
    } finally {
      statements.connection().setAutoCommit(false);
    }
  }
}
