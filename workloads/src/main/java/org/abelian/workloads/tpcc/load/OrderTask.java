package org.abelian.workloads.tpcc.load;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDateTime;
import java.util.concurrent.atomic.LongAdder;
import org.abelian.workloads.tpcc.random.TpccRandom;
import org.abelian.workloads.tpcc.schema.Scale;

/** ORDERs, ORDER_LINEs and NEW_ORDERs of one warehouse. */
record OrderTask(Scale scale, Past past, int warehouse) implements LoadTask {
  private static final int CARRIER_AT = 6;
  private static final int DELIVERY_AT = 7;

  @Override
  public String name() {
    return "orders of warehouse " + warehouse;
  }

  @Override
  public void load(Connection connection, TpccRandom random, LongAdder rows) throws SQLException {
    try (Batch orders = orders(connection, rows);
        Batch lines = lines(connection, rows);
        Batch open = new Batch(connection, "new_order", "no_w_id, no_d_id, no_o_id", rows)) {
      for (int district = 1; district <= Scale.DISTRICTS; district++) {
        int[] customers = random.permutation(scale.customersPerDistrict());
        for (int id = 1; id <= customers.length; id++) {
          boolean delivered = id <= Scale.delivered(customers.length);
          int lineCount = random.uniform(5, 15);
          LocalDateTime entered = past.entered(id, customers.length);
          addOrder(orders, random, entered, district, id, customers[id - 1], lineCount, delivered);
          for (int number = 1; number <= lineCount; number++) {
            addLine(lines, random, entered, district, id, number, delivered);
          }
          if (!delivered) {
            open.add(warehouse, district, id);
          }
        }
      }
      orders.finish();
      lines.finish();
      open.finish();
    }
  }

  private static Batch orders(Connection connection, LongAdder rows) throws SQLException {
    return new Batch(
        connection,
        "orders",
        "o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local",
        rows);
  }

  private static Batch lines(Connection connection, LongAdder rows) throws SQLException {
    return new Batch(
        connection,
        "order_line",
        "ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,"
            + " ol_quantity, ol_amount, ol_dist_info",
        rows);
  }

  private void addOrder(
      Batch orders,
      TpccRandom random,
      LocalDateTime entered,
      int district,
      int id,
      int customer,
      int lineCount,
      boolean delivered)
      throws SQLException {
    int carrier = random.uniform(1, 10);
    if (delivered) {
      orders.add(warehouse, district, id, customer, entered, carrier, lineCount, 1);
    } else {
      orders.addWithNull(
          CARRIER_AT,
          Types.INTEGER,
          warehouse,
          district,
          id,
          customer,
          entered,
          null,
          lineCount,
          1);
    }
  }

  private void addLine(
      Batch lines,
      TpccRandom random,
      LocalDateTime entered,
      int district,
      int order,
      int number,
      boolean delivered)
      throws SQLException {
    int item = random.uniform(1, scale.items());
    String info = random.alphanumeric(24, 24);
    if (delivered) {
      lines.add(
          warehouse,
          district,
          order,
          number,
          item,
          warehouse,
          past.delivered(entered, number),
          past.quantity(random),
          past.deliveredAmount(random),
          info);
    } else {
      lines.addWithNull(
          DELIVERY_AT,
          Types.TIMESTAMP,
          warehouse,
          district,
          order,
          number,
          item,
          warehouse,
          null,
          past.quantity(random),
          past.amount(random),
          info);
    }
  }
}
