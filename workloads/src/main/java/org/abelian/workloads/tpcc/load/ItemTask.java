package org.abelian.workloads.tpcc.load;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.LongAdder;
import org.abelian.workloads.tpcc.random.TpccRandom;
import org.abelian.workloads.tpcc.schema.Scale;

/** ITEM. */
record ItemTask(Scale scale) implements LoadTask {
  @Override
  public String name() {
    return "item";
  }

  @Override
  public void load(Connection connection, TpccRandom random, LongAdder rows) throws SQLException {
    try (Batch items =
        new Batch(connection, "item", "i_id, i_im_id, i_name, i_price, i_data", rows)) {
      for (int id = 1; id <= scale.items(); id++) {
        items.add(
            id,
            random.uniform(1, 10_000),
            random.alphanumeric(14, 24),
            BigDecimal.valueOf(random.uniform(100, 10_000), 2),
            random.originalData());
      }
      items.finish();
    }
  }
}
