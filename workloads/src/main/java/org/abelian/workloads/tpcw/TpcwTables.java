package org.abelian.workloads.tpcw;

import java.util.List;
import java.util.Map;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Rule;
import org.abelian.workloads.workload.Schema;

/**
 * The tables. Customers are placed with their addresses, orders and payments, carts with their
 * lines, items by themselves; countries and authors are copied to every node.
 */
record TpcwTables(Columns columns) implements Schema {
  @Override
  public List<String> create() {
    return List.of(
        "CREATE TABLE country (co_id integer PRIMARY KEY, co_name text NOT NULL)",
        """
        CREATE TABLE author (
          a_id integer PRIMARY KEY, a_fname text NOT NULL, a_lname text NOT NULL)\
        """,
        """
        CREATE TABLE item (
          i_id bigint PRIMARY KEY, i_title text NOT NULL, i_a_id integer NOT NULL,
          i_subject integer NOT NULL, i_pub_date bigint NOT NULL, i_cost bigint NOT NULL,
          i_stock %s NOT NULL, i_related1 bigint NOT NULL, i_related2 bigint NOT NULL,
          i_related3 bigint NOT NULL, i_related4 bigint NOT NULL, i_related5 bigint NOT NULL)\
        """
            .formatted(columns.choose("bigint", "abelian.counter")),
        """
        CREATE TABLE customer (
          c_id bigint PRIMARY KEY, c_uname text NOT NULL, c_fname text NOT NULL,
          c_lname text NOT NULL, c_logins bigint NOT NULL)\
        """,
        """
        CREATE TABLE address (
          addr_c_id bigint PRIMARY KEY, addr_street text NOT NULL, addr_co_id integer NOT NULL)\
        """,
        """
        CREATE TABLE orders (
          o_id bigint, o_c_id bigint, o_total bigint NOT NULL, o_status text NOT NULL,
          PRIMARY KEY (o_c_id, o_id))\
        """,
        """
        CREATE TABLE order_line (
          ol_o_id bigint, ol_c_id bigint, ol_i_id bigint, ol_qty integer NOT NULL,
          ol_cost bigint NOT NULL, PRIMARY KEY (ol_c_id, ol_o_id, ol_i_id))\
        """,
        """
        CREATE TABLE cc_xacts (
          cx_o_id bigint, cx_c_id bigint, cx_amount bigint NOT NULL, cx_co_id integer NOT NULL,
          PRIMARY KEY (cx_c_id, cx_o_id))\
        """,
        "CREATE TABLE shopping_cart (sc_id bigint PRIMARY KEY, sc_changes bigint NOT NULL)",
        """
        CREATE TABLE shopping_cart_line (
          scl_sc_id bigint, scl_i_id bigint, scl_qty integer NOT NULL,
          PRIMARY KEY (scl_sc_id, scl_i_id))\
        """);
  }

  @Override
  public List<String> place() {
    return List.of(
        "CALL create_reference_table('country')",
        "CALL create_reference_table('author')",
        "CALL create_distributed_table('item', 'i_id')",
        "CALL create_distributed_table('customer', 'c_id')",
        "CALL create_distributed_table('address', 'addr_c_id', colocate_with => 'customer')",
        "CALL create_distributed_table('orders', 'o_c_id', colocate_with => 'customer')",
        "CALL create_distributed_table('order_line', 'ol_c_id', colocate_with => 'customer')",
        "CALL create_distributed_table('cc_xacts', 'cx_c_id', colocate_with => 'customer')",
        "CALL create_distributed_table('shopping_cart', 'sc_id')",
        """
        CALL create_distributed_table(
          'shopping_cart_line', 'scl_sc_id', colocate_with => 'shopping_cart')\
        """);
  }

  @Override
  public List<String> finish() {
    return List.of(
        "CREATE INDEX ON item (i_subject, i_pub_date)",
        "CREATE INDEX ON item (i_title text_pattern_ops)",
        "CREATE INDEX ON item (i_a_id)",
        "CREATE INDEX ON author (a_lname text_pattern_ops)",
        "CREATE INDEX ON orders (o_id)",
        "CREATE INDEX ON order_line (ol_o_id)",
        """
        VACUUM ANALYZE country, author, item, customer, address, orders, order_line, cc_xacts,
          shopping_cart, shopping_cart_line\
        """);
  }

  /**
   * What must hold.
   *
   * @param atStart rows of the load
   * @param committed transactions since then
   */
  List<Rule> rules(TpcwOptions atStart, Map<String, Long> committed) {
    return List.of(
        Rule.always(
            "a stock has changed by what was sold, and by deliveries of 21",
            """
            SELECT count(*) FROM item i
              LEFT JOIN (SELECT ol_i_id, sum(ol_qty) n FROM order_line WHERE ol_o_id > %d
                          GROUP BY ol_i_id) l ON l.ol_i_id = i.i_id
             WHERE (i.i_stock::bigint + coalesce(l.n, 0) - (10 + i.i_id %% 21)) %% 21 <> 0\
            """
                .formatted(atStart.orders())),
        Rule.ofTransactions(
            "an order's total is that of its lines",
            """
            SELECT count(*) FROM orders o
              LEFT JOIN (SELECT ol_c_id, ol_o_id, sum(ol_qty * ol_cost) n FROM order_line
                          GROUP BY ol_c_id, ol_o_id) l
                ON l.ol_c_id = o.o_c_id AND l.ol_o_id = o.o_id
             WHERE o.o_total IS DISTINCT FROM l.n\
            """),
        Rule.ofTransactions(
            "every order is paid for",
            """
            SELECT count(*) FROM orders o
              LEFT JOIN cc_xacts x ON x.cx_c_id = o.o_c_id AND x.cx_o_id = o.o_id
             WHERE o.o_total IS DISTINCT FROM x.cx_amount\
            """),
        Rule.always(
            "every order is a customer's",
            """
            SELECT count(*) FROM orders o
             WHERE NOT EXISTS (SELECT FROM customer c WHERE c.c_id = o.o_c_id)\
            """),
        Rule.always(
            "every customer has an address",
            "SELECT abs((SELECT count(*) FROM customer) - (SELECT count(*) FROM address))"),
        Rule.acknowledged(TpcwType.BUY_CONFIRM.label(), "orders", atStart.orders(), committed));
  }
}
