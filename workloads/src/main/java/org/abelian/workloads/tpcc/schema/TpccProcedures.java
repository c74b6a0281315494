package org.abelian.workloads.tpcc.schema;

import java.util.List;

/**
 * NewOrder and Payment as distributed procedures. Each participant runs the body on its own rows:
 * the home warehouse's node writes the order or the payment, the others change their stock rows or
 * customers.
 *
 * <p>An order line carries a text of the supplying warehouse's stock row, which may be on another
 * node. Those texts never change, so that a reference table holds them.
 *
 * <p>Both are declared independent on our word, since the analysis knows no data: every participant
 * decides alike. An unused item is the one reason to roll back, and ITEM is a reference table, read
 * with the call's own arguments. Nothing else can fail on one participant and not on another: rows
 * that the arguments name exist (terminals draw from the loaded ranges, and nobody deletes
 * warehouses, districts, customers or stock), so that neither NOT NULL nor a foreign key is
 * violated; order numbers come from the district's row, which stays locked, so that no key is
 * taken; quantities and amounts are far below the bounds of their types; H_DATA is as long as two
 * names and four blanks. No value crosses: what the home warehouse's node reads is written there.
 */
public final class TpccProcedures {
  /** SQLSTATE of an order of an unused item, which the client rolls back (clause 2.4.1.4). */
  public static final String UNUSED_ITEM = "TC001";

  private static final String NEW_ORDER =
      """
      CREATE OR REPLACE PROCEDURE tpcc_new_order(w int, d int, c int, items int[], supplies int[], quantities int[],
        entered timestamp, all_local int, INOUT number int) LANGUAGE plpgsql AS $$
      DECLARE
        line record;
      BEGIN
        IF EXISTS (SELECT FROM unnest(items) AS wanted(id) WHERE NOT EXISTS (SELECT FROM item WHERE i_id = wanted.id)) THEN
          RAISE EXCEPTION 'an item is not used' USING ERRCODE = 'TC001';
        END IF;
        IF abelian.is_local('warehouse', w) THEN
          PERFORM c_discount, c_last, c_credit FROM customer WHERE c_w_id = w AND c_d_id = d AND c_id = c;
          PERFORM w_tax FROM warehouse WHERE w_id = w;
          UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = w AND d_id = d RETURNING d_next_o_id - 1 INTO number;
          INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
            VALUES (w, d, number, c, entered, cardinality(items), all_local);
          INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (w, d, number);
          INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)
            SELECT w, d, number, l.n, l.item, l.supply, l.quantity, i_price * l.quantity, si_dist[d]
              FROM unnest(items, supplies, quantities) WITH ORDINALITY AS l(item, supply, quantity, n)
              JOIN item ON i_id = l.item JOIN stock_info ON si_w_id = l.supply AND si_i_id = l.item;
        END IF;
        FOR line IN
          SELECT l.item, l.supply, l.quantity FROM unnest(items, supplies, quantities) AS l(item, supply, quantity) ORDER BY supply, item
        LOOP
          IF abelian.is_local('stock', line.supply) THEN
            UPDATE stock SET s_quantity = s_quantity - line.quantity + CASE WHEN s_quantity - line.quantity < 10 THEN 91 ELSE 0 END,
                s_ytd = s_ytd + line.quantity, s_order_cnt = s_order_cnt + 1,
                s_remote_cnt = s_remote_cnt + CASE WHEN line.supply = w THEN 0 ELSE 1 END
              WHERE s_w_id = line.supply AND s_i_id = line.item;
          END IF;
        END LOOP;
      END $$\
      """;

  private static final String PAYMENT =
      """
      CREATE OR REPLACE PROCEDURE tpcc_payment(w int, d int, cw int, cd int, c int, amount numeric, paid timestamp)
      LANGUAGE plpgsql AS $$
      DECLARE
        place text;
        credit text;
      BEGIN
        IF abelian.is_local('warehouse', w) THEN
          SELECT w_name || '    ' || d_name INTO place FROM warehouse, district WHERE w_id = w AND d_w_id = w AND d_id = d;
          UPDATE warehouse SET w_ytd = w_ytd + amount WHERE w_id = w;
          UPDATE district SET d_ytd = d_ytd + amount WHERE d_w_id = w AND d_id = d;
          INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
            VALUES (c, cd, cw, d, w, paid, amount, place);
        END IF;
        IF abelian.is_local('customer', cw) THEN
          UPDATE customer SET c_balance = c_balance - amount, c_ytd_payment = c_ytd_payment + amount, c_payment_cnt = c_payment_cnt + 1
            WHERE c_w_id = cw AND c_d_id = cd AND c_id = c RETURNING c_credit INTO credit;
          IF credit = 'BC' THEN
            UPDATE customer SET c_data = left(format('%s %s %s %s %s %s|', c, cd, cw, d, w, amount) || c_data, 500)
              WHERE c_w_id = cw AND c_d_id = cd AND c_id = c;
          END IF;
        END IF;
      END $$\
      """;

  private TpccProcedures() {}

  /**
   * Creates the procedures, and the reference table, which {@link #texts} are to be copied into.
   */
  public static List<String> create() {
    return List.of(
        "DROP TABLE IF EXISTS stock_info",
        "CREATE TABLE stock_info (si_w_id int, si_i_id int, si_dist text[] NOT NULL,"
            + " PRIMARY KEY (si_w_id, si_i_id))",
        "CALL create_reference_table('stock_info')",
        NEW_ORDER,
        PAYMENT,
        "CALL create_distributed_procedure('tpcc_new_order(int, int, int, int[], int[], int[],"
            + " timestamp, int, int)', 'w, supplies', colocate_with => 'warehouse',"
            + " class => 'independent', unsafe => true)",
        "CALL create_distributed_procedure('tpcc_payment(int, int, int, int, int, numeric,"
            + " timestamp)', 'w, cw', colocate_with => 'warehouse',"
            + " class => 'independent', unsafe => true)");
  }

  /** Gives the rows of the reference table that a warehouse has. */
  public static String texts(int warehouse) {
    StringBuilder columns = new StringBuilder("s_dist_01");
    for (int d = 2; d <= Scale.DISTRICTS; d++) {
      columns.append(", s_dist_%02d".formatted(d));
    }
    return "COPY (SELECT s_w_id, s_i_id, ARRAY["
        + columns
        + "] FROM stock WHERE s_w_id = "
        + warehouse
        + ") TO STDOUT";
  }
}
