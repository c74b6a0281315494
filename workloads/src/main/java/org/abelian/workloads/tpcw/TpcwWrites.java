package org.abelian.workloads.tpcw;

import java.sql.SQLException;
import java.util.List;
import org.abelian.workloads.client.Session;
import org.abelian.workloads.client.Transaction.Body;

/**
 * The statements of the interactions that change rows. They are the same for both kinds of columns.
 */
final class TpcwWrites {
  private static final int FEW = 10;

  private static final String NEW_CART =
      "INSERT INTO shopping_cart (sc_id, sc_changes) VALUES (?, 0)";
  private static final String TOUCH =
      "UPDATE shopping_cart SET sc_changes = sc_changes + 1 WHERE sc_id = ?";
  private static final String ADD =
      """
      INSERT INTO shopping_cart_line (scl_sc_id, scl_i_id, scl_qty) VALUES (?, ?, ?)
      ON CONFLICT (scl_sc_id, scl_i_id)
      DO UPDATE SET scl_qty = shopping_cart_line.scl_qty + excluded.scl_qty\
      """;
  private static final String LINES =
      """
      SELECT scl_i_id, scl_qty, i_cost, i_title FROM shopping_cart_line
        JOIN item ON i_id = scl_i_id WHERE scl_sc_id = ? ORDER BY scl_i_id\
      """;
  private static final String LOGIN = "UPDATE customer SET c_logins = c_logins + 1 WHERE c_id = ?";
  private static final String KNOWN =
      """
      SELECT c_uname, c_fname, c_lname, addr_street, co_name FROM customer
        JOIN address ON addr_c_id = c_id JOIN country ON co_id = addr_co_id WHERE c_id = ?\
      """;
  private static final String NEW_CUSTOMER =
      """
      INSERT INTO customer (c_id, c_uname, c_fname, c_lname, c_logins)
      VALUES (?, ?, 'first', 'last', 1)\
      """;
  private static final String NEW_ADDRESS =
      "INSERT INTO address (addr_c_id, addr_street, addr_co_id) VALUES (?, 'a street', ?)";
  private static final String ORDER =
      "INSERT INTO orders (o_id, o_c_id, o_total, o_status) VALUES (?, ?, ?, 'pending')";
  private static final String ORDER_LINE =
      """
      INSERT INTO order_line (ol_o_id, ol_c_id, ol_i_id, ol_qty, ol_cost) VALUES (?, ?, ?, ?, ?)\
      """;
  private static final String PAYMENT =
      "INSERT INTO cc_xacts (cx_o_id, cx_c_id, cx_amount, cx_co_id) VALUES (?, ?, ?, ?)";
  private static final String SELL = "UPDATE item SET i_stock = i_stock - ? WHERE i_id = ?";
  private static final String STOCK = "SELECT i_stock FROM item WHERE i_id = ?";
  private static final String DELIVERY = "UPDATE item SET i_stock = i_stock + 21 WHERE i_id = ?";
  private static final String EMPTY = "DELETE FROM shopping_cart_line WHERE scl_sc_id = ?";
  private static final String REPRICE =
      "UPDATE item SET i_cost = ?, i_pub_date = i_pub_date + 1 WHERE i_id = ?";
  private static final String BOUGHT_WITH =
      """
      SELECT other.ol_i_id FROM order_line one
        JOIN order_line other ON other.ol_c_id = one.ol_c_id AND other.ol_i_id <> one.ol_i_id
       WHERE one.ol_i_id = ? AND one.ol_o_id > ? AND other.ol_o_id > ?
       GROUP BY other.ol_i_id ORDER BY sum(other.ol_qty) DESC, other.ol_i_id LIMIT 5\
      """;
  private static final String RELATE =
      """
      UPDATE item SET i_related1 = ?, i_related2 = ?, i_related3 = ?, i_related4 = ?,
                      i_related5 = ? WHERE i_id = ?\
      """;

  private TpcwWrites() {}

  /**
   * Puts an item into a cart and shows it.
   *
   * @param isNew whether nobody has used the cart yet
   */
  static Body fill(long cart, boolean isNew, long item, int quantity) {
    return session -> {
      if (isNew) {
        session.updateOne(NEW_CART, cart);
      }
      session.updateOne(ADD, cart, item, quantity);
      session.updateOne(TOUCH, cart);
      session.rows(LINES, cart);
    };
  }

  /** A known customer is about to buy. */
  static Body login(long customer, long cart) {
    return session -> {
      session.updateOne(LOGIN, customer);
      session.row(KNOWN, customer);
      session.rows(LINES, cart);
    };
  }

  /** A new customer is about to buy. */
  static Body register(long customer, int country, long cart) {
    return session -> {
      session.updateOne(NEW_CUSTOMER, customer, "user" + customer);
      session.updateOne(NEW_ADDRESS, customer, country);
      session.rows(LINES, cart);
    };
  }

  /** A customer buys what is in a cart; items change in the order of their numbers. */
  static Body buy(long order, long customer, long cart, int country) {
    return session -> {
      List<Object[]> lines = session.rows(LINES, cart);
      long total = 0;
      for (Object[] line : lines) {
        total += (Integer) line[1] * (Long) line[2];
      }
      session.updateOne(ORDER, order, customer, total);
      session.updateOne(PAYMENT, order, customer, total, country);
      for (Object[] line : lines) {
        session.updateOne(ORDER_LINE, order, customer, line[0], line[1], line[2]);
        sell(session, (Long) line[0], (Integer) line[1]);
      }
      session.update(EMPTY, cart);
    };
  }

  private static void sell(Session session, long item, int quantity) throws SQLException {
    session.updateOne(SELL, quantity, item);
    if ((Long) session.row(STOCK, item)[0] < FEW) {
      session.updateOne(DELIVERY, item);
    }
  }

  /** An item costs something else, and is advertised beside what its buyers have bought. */
  static Body change(long item, long cost, long recent) {
    return session -> {
      session.updateOne(REPRICE, cost, item);
      List<Object[]> related = session.rows(BOUGHT_WITH, item, recent, recent);
      Object[] values = new Object[TpcwReads.RELATED + 1];
      for (int i = 0; i < TpcwReads.RELATED; i++) {
        values[i] = i < related.size() ? related.get(i)[0] : item;
      }
      values[TpcwReads.RELATED] = item;
      session.updateOne(RELATE, values);
    };
  }
}
