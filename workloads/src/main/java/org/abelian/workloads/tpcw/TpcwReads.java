package org.abelian.workloads.tpcw;

import java.sql.SQLException;
import java.util.List;
import java.util.stream.LongStream;
import org.abelian.workloads.client.Session;
import org.abelian.workloads.client.Transaction.Body;

/** The statements of the interactions that only read. */
final class TpcwReads {
  /** Items that a page advertises beside one. */
  static final int RELATED = 5;

  private static final String CUSTOMER =
      "SELECT c_uname, c_fname, c_lname FROM customer WHERE c_id = ?";
  private static final String RELATED_TO =
      """
      SELECT i_related1, i_related2, i_related3, i_related4, i_related5 FROM item
       WHERE i_id = ?\
      """;
  private static final String TITLES = "SELECT i_id, i_title FROM item WHERE i_id = ANY (?)";
  private static final String NEWEST =
      """
      SELECT i_id, i_title, a_fname, a_lname FROM item JOIN author ON a_id = i_a_id
       WHERE i_subject = ? ORDER BY i_pub_date DESC, i_title LIMIT 50\
      """;
  private static final String BEST_SELLERS =
      """
      SELECT i_id, i_title, a_fname, a_lname, sum(ol_qty) sold
        FROM order_line JOIN item ON i_id = ol_i_id JOIN author ON a_id = i_a_id
       WHERE ol_o_id > ? AND i_subject = ?
       GROUP BY i_id, i_title, a_fname, a_lname ORDER BY sold DESC, i_id LIMIT 50\
      """;
  private static final String DETAIL =
      """
      SELECT i_id, i_title, i_subject, i_pub_date, i_cost, i_stock, a_fname, a_lname
        FROM item JOIN author ON a_id = i_a_id WHERE i_id = ?\
      """;

  /** The three kinds of searches. */
  static final String BY_SUBJECT =
      """
      SELECT i_id, i_title, a_fname, a_lname FROM item JOIN author ON a_id = i_a_id
       WHERE i_subject = ? ORDER BY i_title LIMIT 50\
      """;

  static final String BY_TITLE =
      """
      SELECT i_id, i_title, a_fname, a_lname FROM item JOIN author ON a_id = i_a_id
       WHERE i_title LIKE ? ORDER BY i_title LIMIT 50\
      """;
  static final String BY_AUTHOR =
      """
      SELECT i_id, i_title, a_fname, a_lname FROM item JOIN author ON a_id = i_a_id
       WHERE a_lname LIKE ? ORDER BY i_title LIMIT 50\
      """;

  private static final String LAST_ORDER =
      """
      SELECT o_id, o_total, o_status, cx_amount FROM orders
        JOIN cc_xacts ON cx_c_id = o_c_id AND cx_o_id = o_id
       WHERE o_c_id = ? ORDER BY o_id DESC LIMIT 1\
      """;
  private static final String LINES =
      """
      SELECT ol_i_id, ol_qty, ol_cost, i_title FROM order_line JOIN item ON i_id = ol_i_id
       WHERE ol_c_id = ? AND ol_o_id = ?\
      """;

  private TpcwReads() {}

  static Body home(long customer, long item) {
    return session -> {
      session.row(CUSTOMER, customer);
      advertise(session, item);
    };
  }

  static Body advertised(long item) {
    return session -> advertise(session, item);
  }

  private static void advertise(Session session, long item) throws SQLException {
    Object[] related = session.row(RELATED_TO, item);
    session.rows(TITLES, LongStream.range(0, RELATED).map(i -> (Long) related[(int) i]).toArray());
  }

  static Body newest(int subject) {
    return session -> session.rows(NEWEST, subject);
  }

  static Body bestSellers(int subject, long recent) {
    return session -> session.rows(BEST_SELLERS, recent, subject);
  }

  static Body detail(long item) {
    return session -> session.row(DETAIL, item);
  }

  /** A search of one of the three kinds. */
  static Body search(String kind, Object what) {
    return session -> session.rows(kind, what);
  }

  static Body customer(long customer) {
    return session -> session.row(CUSTOMER, customer);
  }

  /** A customer's latest order, if there is one. */
  static Body lastOrder(long customer) {
    return session -> {
      List<Object[]> orders = session.rows(LAST_ORDER, customer);
      if (!orders.isEmpty()) {
        session.rows(LINES, customer, orders.get(0)[0]);
      }
    };
  }
}
