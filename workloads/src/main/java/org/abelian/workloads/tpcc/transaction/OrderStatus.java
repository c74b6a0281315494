package org.abelian.workloads.tpcc.transaction;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.abelian.workloads.tpcc.input.CustomerKey;
import org.abelian.workloads.tpcc.input.OrderStatusInput;

/** OrderStatus (clause 2.6.2). */
final class OrderStatus {
  private static final String CUSTOMER =
      "SELECT c_balance, c_first, c_middle, c_last FROM customer"
          + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
  private static final String LAST_ORDER =
      "SELECT o_id, o_entry_d, o_carrier_id FROM orders"
          + " WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC LIMIT 1";
  private static final String LINES =
      "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line"
          + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?";

  private final Statements statements;
  private final CustomerLookup lookup;

  OrderStatus(Statements statements, CustomerLookup lookup) {
    this.statements = statements;
    this.lookup = lookup;
  }

  Receipt execute(OrderStatusInput in) throws SQLException {
    CustomerKey customer = in.customer();
    int id = lookup.idOf(customer);
    readCustomer(customer, id);
    int order = lastOrder(customer, id);
    readLines(customer, order);
    return Receipt.withoutKey();
  }

  private void readCustomer(CustomerKey customer, int id) throws SQLException {
    try (ResultSet row =
        statements.bind(CUSTOMER, customer.warehouse(), customer.district(), id).executeQuery()) {
      if (!row.next()) {
        throw new UnexpectedRowsException(CUSTOMER, 1, 0);
      }
      row.getBigDecimal(1);
    }
  }

  private int lastOrder(CustomerKey customer, int id) throws SQLException {
    try (ResultSet row =
        statements.bind(LAST_ORDER, customer.warehouse(), customer.district(), id).executeQuery()) {
      if (!row.next()) {
        throw new UnexpectedRowsException(LAST_ORDER, 1, 0);
      }
      return row.getInt(1);
    }
  }

  private void readLines(CustomerKey customer, int order) throws SQLException {
    int count = 0;
    try (ResultSet rows =
        statements.bind(LINES, customer.warehouse(), customer.district(), order).executeQuery()) {
      while (rows.next()) {
        rows.getBigDecimal(4);
        count++;
      }
    }
    if (count < 5 || count > 15) {
      throw new UnexpectedRowsException(LINES, 5, count);
    }
  }
}
