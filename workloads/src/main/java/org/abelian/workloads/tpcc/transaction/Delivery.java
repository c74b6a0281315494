package org.abelian.workloads.tpcc.transaction;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import org.abelian.workloads.tpcc.input.DeliveryInput;
import org.abelian.workloads.tpcc.schema.Scale;

/**
 * Delivery (clause 2.7.4), executed at once and as one transaction for all ten districts, which the
 * specification allows (2.7.2.2 speaks of a queue, 2.7.4.1 of one or more transactions).
 */
final class Delivery {
  private static final String OLDEST =
      "SELECT no_o_id FROM new_order WHERE no_w_id = ? AND no_d_id = ?"
          + " ORDER BY no_o_id LIMIT 1 FOR UPDATE";
  private static final String DELETE_OPEN =
      "DELETE FROM new_order WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?";
  private static final String ORDER =
      "UPDATE orders SET o_carrier_id = ? WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?"
          + " RETURNING o_c_id";
  private static final String LINES =
      "UPDATE order_line SET ol_delivery_d = ? WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?"
          + " RETURNING ol_amount";
  private static final String CUSTOMER =
      "UPDATE customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1"
          + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";

  private final Statements statements;
  private final Clock clock;

  Delivery(Statements statements, Clock clock) {
    this.statements = statements;
    this.clock = clock;
  }

  Receipt execute(DeliveryInput in) throws SQLException {
    LocalDateTime now = Clock.timestamp(clock.next());
    for (int district = 1; district <= Scale.DISTRICTS; district++) {
      deliver(in, district, now);
    }
    return Receipt.withoutKey();
  }

  /** Delivers the oldest open order of a district; a district without one is skipped. */
  private void deliver(DeliveryInput in, int district, LocalDateTime now) throws SQLException {
    int order;
    try (ResultSet row = statements.bind(OLDEST, in.warehouse(), district).executeQuery()) {
      if (!row.next()) {
        return;
      }
      order = row.getInt(1);
    }
    statements.update(1, DELETE_OPEN, in.warehouse(), district, order);
    int customer;
    try (ResultSet row =
        statements.bind(ORDER, in.carrier(), in.warehouse(), district, order).executeQuery()) {
      if (!row.next()) {
        throw new UnexpectedRowsException(ORDER, 1, 0);
      }
      customer = row.getInt(1);
    }
    BigDecimal total = BigDecimal.ZERO;
    try (ResultSet rows =
        statements.bind(LINES, now, in.warehouse(), district, order).executeQuery()) {
      while (rows.next()) {
        total = total.add(rows.getBigDecimal(1));
      }
    }
    statements.update(1, CUSTOMER, total, in.warehouse(), district, customer);
  }
}
