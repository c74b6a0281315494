package org.abelian.workloads.tpcc.schema;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The nine tables (clause 1.3).
 *
 * <p>Every table but ITEM is placed by its warehouse; ITEM is a reference table. HISTORY goes with
 * the warehouse that took the payment (H_W_ID). Two foreign keys of the specification may therefore
 * cross partitions and are left out: ORDER_LINE to STOCK, since the supplying warehouse may be a
 * remote one, and HISTORY to CUSTOMER, since the customer may be.
 */
public final class TpccSchema {
  private static final List<String> TABLES =
      List.of(
          "item",
          "warehouse",
          "district",
          "customer",
          "history",
          "orders",
          "new_order",
          "order_line",
          "stock");

  private final ColumnKind columns;

  public TpccSchema(ColumnKind columns) {
    this.columns = columns;
  }

  /** Statements that remove the tables where they exist, dependent ones first. */
  public static List<String> drop() {
    List<String> reversed = new ArrayList<>(TABLES);
    Collections.reverse(reversed);
    return reversed.stream().map(table -> "DROP TABLE IF EXISTS " + table + " CASCADE").toList();
  }

  /** Statements that create the tables with their primary keys. */
  public List<String> create() {
    return List.of(
        """
        CREATE TABLE item (
          i_id integer PRIMARY KEY,
          i_im_id integer NOT NULL,
          i_name varchar(24) NOT NULL,
          i_price numeric(5,2) NOT NULL,
          i_data varchar(50) NOT NULL)\
        """,
        """
        CREATE TABLE warehouse (
          w_id integer PRIMARY KEY,
          w_name varchar(10) NOT NULL,
          w_street_1 varchar(20) NOT NULL,
          w_street_2 varchar(20) NOT NULL,
          w_city varchar(20) NOT NULL,
          w_state char(2) NOT NULL,
          w_zip char(9) NOT NULL,
          w_tax numeric(4,4) NOT NULL,
          w_ytd %s NOT NULL)\
        """
            .formatted(columns.moneyTotal()),
        """
        CREATE TABLE district (
          d_w_id integer NOT NULL,
          d_id integer NOT NULL,
          d_name varchar(10) NOT NULL,
          d_street_1 varchar(20) NOT NULL,
          d_street_2 varchar(20) NOT NULL,
          d_city varchar(20) NOT NULL,
          d_state char(2) NOT NULL,
          d_zip char(9) NOT NULL,
          d_tax numeric(4,4) NOT NULL,
          d_ytd %s NOT NULL,
          d_next_o_id integer NOT NULL,
          PRIMARY KEY (d_w_id, d_id))\
        """
            .formatted(columns.moneyTotal()),
        customer(),
        """
        CREATE TABLE history (
          h_c_id integer NOT NULL,
          h_c_d_id integer NOT NULL,
          h_c_w_id integer NOT NULL,
          h_d_id integer NOT NULL,
          h_w_id integer NOT NULL,
          h_date timestamp NOT NULL,
          h_amount numeric(6,2) NOT NULL,
          h_data varchar(24) NOT NULL)\
        """,
        """
        CREATE TABLE orders (
          o_w_id integer NOT NULL,
          o_d_id integer NOT NULL,
          o_id integer NOT NULL,
          o_c_id integer NOT NULL,
          o_entry_d timestamp NOT NULL,
          o_carrier_id integer,
          o_ol_cnt integer NOT NULL,
          o_all_local integer NOT NULL,
          PRIMARY KEY (o_w_id, o_d_id, o_id))\
        """,
        """
        CREATE TABLE new_order (
          no_w_id integer NOT NULL,
          no_d_id integer NOT NULL,
          no_o_id integer NOT NULL,
          PRIMARY KEY (no_w_id, no_d_id, no_o_id))\
        """,
        """
        CREATE TABLE order_line (
          ol_w_id integer NOT NULL,
          ol_d_id integer NOT NULL,
          ol_o_id integer NOT NULL,
          ol_number integer NOT NULL,
          ol_i_id integer NOT NULL,
          ol_supply_w_id integer NOT NULL,
          ol_delivery_d timestamp,
          ol_quantity integer NOT NULL,
          ol_amount numeric(6,2) NOT NULL,
          ol_dist_info char(24) NOT NULL,
          PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number))\
        """,
        stock());
  }

  private String customer() {
    return """
    CREATE TABLE customer (
      c_w_id integer NOT NULL,
      c_d_id integer NOT NULL,
      c_id integer NOT NULL,
      c_first varchar(16) NOT NULL,
      c_middle char(2) NOT NULL,
      c_last varchar(16) NOT NULL,
      c_street_1 varchar(20) NOT NULL,
      c_street_2 varchar(20) NOT NULL,
      c_city varchar(20) NOT NULL,
      c_state char(2) NOT NULL,
      c_zip char(9) NOT NULL,
      c_phone char(16) NOT NULL,
      c_since timestamp NOT NULL,
      c_credit char(2) NOT NULL,
      c_credit_lim numeric(12,2) NOT NULL,
      c_discount numeric(4,4) NOT NULL,
      c_balance %s NOT NULL,
      c_ytd_payment %s NOT NULL,
      c_payment_cnt %s NOT NULL,
      c_delivery_cnt %s NOT NULL,
      c_data varchar(500) NOT NULL,
      PRIMARY KEY (c_w_id, c_d_id, c_id))\
    """
        .formatted(columns.moneyTotal(), columns.moneyTotal(), columns.count(), columns.count());
  }

  private static String stock() {
    StringBuilder districts = new StringBuilder();
    for (int d = 1; d <= Scale.DISTRICTS; d++) {
      districts.append("  s_dist_%02d char(24) NOT NULL,%n".formatted(d));
    }
    return """
    CREATE TABLE stock (
      s_w_id integer NOT NULL,
      s_i_id integer NOT NULL,
      s_quantity integer NOT NULL,
    %s  s_ytd bigint NOT NULL,
      s_order_cnt integer NOT NULL,
      s_remote_cnt integer NOT NULL,
      s_data varchar(50) NOT NULL,
      PRIMARY KEY (s_w_id, s_i_id))\
    """
        .formatted(districts);
  }

  /**
   * Calls that place the empty tables; only for a cluster. ITEM comes first: STOCK refers to it.
   */
  public static List<String> place() {
    return List.of(
        "CALL create_reference_table('item')",
        "CALL create_distributed_table('warehouse', 'w_id')",
        "CALL create_distributed_table('district', 'd_w_id', colocate_with => 'warehouse')",
        "CALL create_distributed_table('customer', 'c_w_id', colocate_with => 'warehouse')",
        "CALL create_distributed_table('history', 'h_w_id', colocate_with => 'warehouse')",
        "CALL create_distributed_table('orders', 'o_w_id', colocate_with => 'warehouse')",
        "CALL create_distributed_table('new_order', 'no_w_id', colocate_with => 'warehouse')",
        "CALL create_distributed_table('order_line', 'ol_w_id', colocate_with => 'warehouse')",
        "CALL create_distributed_table('stock', 's_w_id', colocate_with => 'warehouse')");
  }

  /** Secondary indexes and foreign keys, added once the rows are there. */
  public static List<String> finish() {
    return List.of(
        "CREATE INDEX customer_name ON customer (c_w_id, c_d_id, c_last, c_first)",
        "CREATE UNIQUE INDEX orders_customer ON orders (o_w_id, o_d_id, o_c_id, o_id)",
        "ALTER TABLE district ADD FOREIGN KEY (d_w_id) REFERENCES warehouse",
        "ALTER TABLE customer ADD FOREIGN KEY (c_w_id, c_d_id) REFERENCES district",
        "ALTER TABLE history ADD FOREIGN KEY (h_w_id, h_d_id) REFERENCES district",
        "ALTER TABLE orders ADD FOREIGN KEY (o_w_id, o_d_id, o_c_id) REFERENCES customer",
        "ALTER TABLE new_order ADD FOREIGN KEY (no_w_id, no_d_id, no_o_id) REFERENCES orders",
        "ALTER TABLE order_line ADD FOREIGN KEY (ol_w_id, ol_d_id, ol_o_id) REFERENCES orders",
        "ALTER TABLE stock ADD FOREIGN KEY (s_w_id) REFERENCES warehouse",
        "ALTER TABLE stock ADD FOREIGN KEY (s_i_id) REFERENCES item",
        "VACUUM ANALYZE");
  }
}
