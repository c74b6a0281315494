package org.abelian.workloads.tpcc.load;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.concurrent.atomic.LongAdder;
import org.abelian.workloads.tpcc.random.LastName;
import org.abelian.workloads.tpcc.random.NuRandConstants;
import org.abelian.workloads.tpcc.random.TpccRandom;
import org.abelian.workloads.tpcc.schema.Scale;

/** One WAREHOUSE with its DISTRICTs, CUSTOMERs and their first HISTORY row. */
record CustomerTask(Scale scale, Past past, int warehouse) implements LoadTask {
  private static final BigDecimal PAID = new BigDecimal("10.00");
  private static final BigDecimal CREDIT_LIMIT = new BigDecimal("50000.00");

  @Override
  public String name() {
    return "customers of warehouse " + warehouse;
  }

  @Override
  public void load(Connection connection, TpccRandom random, LongAdder rows) throws SQLException {
    NuRandConstants constants = NuRandConstants.forLoad(random);
    LocalDateTime now = past.now();
    loadWarehouse(connection, random, rows);
    loadDistricts(connection, random, rows);
    try (Batch customers = customers(connection, rows);
        Batch history = history(connection, rows)) {
      for (int district = 1; district <= Scale.DISTRICTS; district++) {
        for (int id = 1; id <= scale.customersPerDistrict(); id++) {
          customers.add(customer(random, constants, now, district, id));
          history.add(
              id, district, warehouse, district, warehouse, now, PAID, random.alphanumeric(12, 24));
        }
      }
      customers.finish();
      history.finish();
    }
  }

  private void loadWarehouse(Connection connection, TpccRandom random, LongAdder rows)
      throws SQLException {
    String columns = "w_id, w_name, w_street_1, w_street_2, w_city, w_state, w_zip, w_tax, w_ytd";
    BigDecimal ytd = ytdPerDistrict().multiply(BigDecimal.valueOf(Scale.DISTRICTS));
    try (Batch batch = new Batch(connection, "warehouse", columns, rows)) {
      batch.add(
          warehouse,
          random.alphanumeric(6, 10),
          random.alphanumeric(10, 20),
          random.alphanumeric(10, 20),
          random.alphanumeric(10, 20),
          random.alphanumeric(2, 2),
          random.zip(),
          tax(random),
          ytd);
      batch.finish();
    }
  }

  private void loadDistricts(Connection connection, TpccRandom random, LongAdder rows)
      throws SQLException {
    String columns =
        "d_w_id, d_id, d_name, d_street_1, d_street_2, d_city, d_state, d_zip, d_tax, d_ytd,"
            + " d_next_o_id";
    try (Batch batch = new Batch(connection, "district", columns, rows)) {
      for (int district = 1; district <= Scale.DISTRICTS; district++) {
        batch.add(
            warehouse,
            district,
            random.alphanumeric(6, 10),
            random.alphanumeric(10, 20),
            random.alphanumeric(10, 20),
            random.alphanumeric(10, 20),
            random.alphanumeric(2, 2),
            random.zip(),
            tax(random),
            ytdPerDistrict(),
            scale.customersPerDistrict() + 1);
      }
      batch.finish();
    }
  }

  /** The payments of the initial history, so that conditions 8 and 9 hold from the start. */
  private BigDecimal ytdPerDistrict() {
    return PAID.multiply(BigDecimal.valueOf(scale.customersPerDistrict()));
  }

  private static BigDecimal tax(TpccRandom random) {
    return BigDecimal.valueOf(random.uniform(0, 2000), 4);
  }

  private static Batch customers(Connection connection, LongAdder rows) throws SQLException {
    return new Batch(
        connection,
        "customer",
        "c_w_id, c_d_id, c_id, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state,"
            + " c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance,"
            + " c_ytd_payment, c_payment_cnt, c_delivery_cnt, c_data",
        rows);
  }

  private static Batch history(Connection connection, LongAdder rows) throws SQLException {
    return new Batch(
        connection,
        "history",
        "h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data",
        rows);
  }

  private Object[] customer(
      TpccRandom random, NuRandConstants constants, LocalDateTime now, int district, int id) {
    int name =
        id <= LastName.COUNT ? id - 1 : constants.lastName().next(random, 0, LastName.COUNT - 1);
    return new Object[] {
      warehouse,
      district,
      id,
      random.alphanumeric(8, 16),
      "OE",
      LastName.of(name),
      random.alphanumeric(10, 20),
      random.alphanumeric(10, 20),
      random.alphanumeric(10, 20),
      random.alphanumeric(2, 2),
      random.zip(),
      random.numeric(16, 16),
      now,
      random.chance(10) ? "BC" : "GC",
      CREDIT_LIMIT,
      BigDecimal.valueOf(random.uniform(0, 5000), 4),
      PAID.negate(),
      PAID,
      1,
      0,
      random.alphanumeric(300, 500)
    };
  }
}
