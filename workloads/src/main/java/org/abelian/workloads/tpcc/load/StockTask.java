package org.abelian.workloads.tpcc.load;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.LongAdder;
import org.abelian.workloads.tpcc.random.TpccRandom;
import org.abelian.workloads.tpcc.schema.Scale;

/** STOCK of one warehouse. */
record StockTask(Scale scale, Past past, int warehouse) implements LoadTask {
  private static final int FIXED_COLUMNS = 7;

  @Override
  public String name() {
    return "stock of warehouse " + warehouse;
  }

  @Override
  public void load(Connection connection, TpccRandom random, LongAdder rows) throws SQLException {
    StringBuilder columns =
        new StringBuilder("s_w_id, s_i_id, s_quantity, s_ytd, s_order_cnt, s_remote_cnt, s_data");
    for (int d = 1; d <= Scale.DISTRICTS; d++) {
      columns.append(", s_dist_%02d".formatted(d));
    }
    try (Batch stock = new Batch(connection, "stock", columns.toString(), rows)) {
      for (int item = 1; item <= scale.items(); item++) {
        Object[] row = new Object[FIXED_COLUMNS + Scale.DISTRICTS];
        row[0] = warehouse;
        row[1] = item;
        row[2] = random.uniform(10, 100);
        row[3] = 0L;
        row[4] = past.ordersOf(item);
        row[5] = 0;
        row[6] = random.originalData();
        for (int d = 0; d < Scale.DISTRICTS; d++) {
          row[FIXED_COLUMNS + d] = random.alphanumeric(24, 24);
        }
        stock.add(row);
      }
      stock.finish();
    }
  }
}
