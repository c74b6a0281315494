package org.abelian.workloads.tpcc.transaction;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.abelian.workloads.tpcc.input.CustomerKey;
import org.abelian.workloads.tpcc.input.PaymentInput;
import org.abelian.workloads.tpcc.journal.PaymentKey;

/**
 * Payment (clause 2.5.2).
 *
 * <p>Its three totals are changed by statements that only add, so that they commute where the
 * columns are counters. C_DATA of a customer with bad credit, which does not commute, is a
 * statement of its own.
 */
final class Payment {
  private static final String WAREHOUSE =
      "UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?"
          + " RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip";
  private static final String DISTRICT =
      "UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?";
  private static final String DISTRICT_ADDRESS =
      "SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip FROM district"
          + " WHERE d_w_id = ? AND d_id = ?";
  private static final String CUSTOMER =
      "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?,"
          + " c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?"
          + " RETURNING c_credit, c_balance, c_first, c_middle, c_last, c_street_1, c_street_2,"
          + " c_city, c_state, c_zip, c_phone, c_since, c_credit_lim, c_discount";
  private static final String BAD_CREDIT =
      "UPDATE customer SET c_data = left(? || c_data, 500)"
          + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ? RETURNING left(c_data, 200)";
  private static final String HISTORY =
      "INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)"
          + " VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

  private final Statements statements;
  private final CustomerLookup lookup;
  private final Clock clock;

  Payment(Statements statements, CustomerLookup lookup, Clock clock) {
    this.statements = statements;
    this.lookup = lookup;
    this.clock = clock;
  }

  Receipt execute(PaymentInput in) throws SQLException {
    CustomerKey customer = in.customer();
    int id = lookup.idOf(customer);
    String warehouse = first(WAREHOUSE, in.amount(), in.warehouse());
    String district = first(DISTRICT_ADDRESS, in.warehouse(), in.district());
    statements.update(1, DISTRICT, in.amount(), in.warehouse(), in.district());
    String credit =
        first(CUSTOMER, in.amount(), in.amount(), customer.warehouse(), customer.district(), id);
    if (credit.equals("BC")) {
      first(BAD_CREDIT, creditData(in, id), customer.warehouse(), customer.district(), id);
    }
    long paid = clock.next();
    statements.update(
        1,
        HISTORY,
        id,
        customer.district(),
        customer.warehouse(),
        in.district(),
        in.warehouse(),
        Clock.timestamp(paid),
        in.amount(),
        warehouse + "    " + district);
    return Receipt.of(
        new PaymentKey(
            in.warehouse(),
            in.district(),
            customer.warehouse(),
            customer.district(),
            id,
            paid,
            cents(in.amount())));
  }

  private static long cents(BigDecimal amount) {
    return amount.movePointRight(2).longValueExact();
  }

  private static String creditData(PaymentInput in, int customer) {
    return "%d %d %d %d %d %s|"
        .formatted(
            customer,
            in.customer().district(),
            in.customer().warehouse(),
            in.district(),
            in.warehouse(),
            in.amount());
  }

  /** Executes a statement that returns one row; its first column. */
  private String first(String sql, Object... parameters) throws SQLException {
    try (ResultSet row = statements.bind(sql, parameters).executeQuery()) {
      if (!row.next()) {
        throw new UnexpectedRowsException(sql, 1, 0);
      }
      return row.getString(1);
    }
  }
}
