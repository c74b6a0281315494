package org.abelian.workloads.tpcc.check;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Reads the facts of a warehouse; every statement names exactly one warehouse. */
final class FactsReader {
  private final Connection connection;
  private final CrossFacts cross;

  /**
   * @param cross collects what belongs to other warehouses
   */
  FactsReader(Connection connection, CrossFacts cross) {
    this.connection = connection;
    this.cross = cross;
  }

  WarehouseFacts read(int warehouse) throws SQLException {
    WarehouseFacts facts = new WarehouseFacts(warehouse);
    query(
        "SELECT w_ytd FROM warehouse WHERE w_id = ?", warehouse, r -> facts.ytdCents = money(r, 1));
    readDistricts(facts);
    readCustomers(facts);
    readOrders(facts);
    readLines(facts);
    readStock(facts);
    readPayments(facts);
    return facts;
  }

  private void readDistricts(WarehouseFacts facts) throws SQLException {
    query(
        "SELECT d_id, d_ytd, d_next_o_id FROM district WHERE d_w_id = ?",
        facts.warehouse,
        r -> {
          DistrictFacts district = facts.district(r.getInt(1));
          district.ytdCents = money(r, 2);
          district.nextOrder = r.getInt(3);
        });
    query(
        "SELECT no_d_id, min(no_o_id), max(no_o_id), count(*) FROM new_order"
            + " WHERE no_w_id = ? GROUP BY no_d_id",
        facts.warehouse,
        r -> {
          DistrictFacts district = facts.district(r.getInt(1));
          district.lowestOpen = r.getInt(2);
          district.highestOpen = r.getInt(3);
          district.openOrders = r.getInt(4);
        });
    query(
        "SELECT h_d_id, sum(h_amount) FROM history WHERE h_w_id = ? GROUP BY h_d_id",
        facts.warehouse,
        r -> facts.district(r.getInt(1)).paidCents = money(r, 2));
  }

  private void readCustomers(WarehouseFacts facts) throws SQLException {
    query(
        "SELECT c_d_id, c_id, c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt FROM customer"
            + " WHERE c_w_id = ?",
        facts.warehouse,
        r -> {
          CustomerFacts customer = facts.customer(r.getInt(1), r.getInt(2));
          customer.balanceCents = money(r, 3);
          customer.ytdPaymentCents = money(r, 4);
          customer.payments = r.getLong(5);
          customer.deliveries = r.getLong(6);
          DistrictFacts district = facts.district(customer.district);
          district.customers++;
          district.deliveriesOfCustomers += customer.deliveries;
        });
  }

  private void readOrders(WarehouseFacts facts) throws SQLException {
    query(
        "SELECT o_d_id, o_id, o_c_id, o_carrier_id IS NOT NULL, o_ol_cnt FROM orders"
            + " WHERE o_w_id = ?",
        facts.warehouse,
        r -> {
          OrderFacts order = facts.order(r.getInt(1), r.getInt(2));
          order.exists = true;
          order.customer = r.getInt(3);
          order.hasCarrier = r.getBoolean(4);
          order.declaredLines = r.getInt(5);
        });
    query(
        "SELECT no_d_id, no_o_id FROM new_order WHERE no_w_id = ?",
        facts.warehouse,
        r -> facts.order(r.getInt(1), r.getInt(2)).open = true);
  }

  private void readLines(WarehouseFacts facts) throws SQLException {
    query(
        "SELECT ol_d_id, ol_o_id, count(*), count(ol_delivery_d),"
            + " sum(CASE WHEN ol_delivery_d IS NOT NULL THEN ol_amount END) FROM order_line"
            + " WHERE ol_w_id = ? GROUP BY ol_d_id, ol_o_id",
        facts.warehouse,
        r -> {
          OrderFacts order = facts.order(r.getInt(1), r.getInt(2));
          order.lines = r.getInt(3);
          order.deliveredLines = r.getInt(4);
          order.deliveredCents = money(r, 5);
        });
    for (OrderFacts order : facts.orders.values()) {
      if (!order.exists) {
        continue;
      }
      CustomerFacts customer = facts.customer(order.district, order.customer);
      customer.deliveredCents += order.deliveredCents;
      boolean byRun = order.id > Populated.delivered(facts.district(order.district));
      customer.deliveredOrders += order.hasCarrier && byRun ? 1 : 0;
    }
  }

  private void readStock(WarehouseFacts facts) throws SQLException {
    query(
        "SELECT sum(s_ytd), sum(s_order_cnt), sum(s_remote_cnt) FROM stock WHERE s_w_id = ?",
        facts.warehouse,
        r -> {
          facts.stock.quantity = r.getLong(1);
          facts.stock.lines = r.getLong(2);
          facts.stock.remoteLines = r.getLong(3);
        });
    int populated = Populated.orders(facts.district(1));
    query(
        "SELECT ol_supply_w_id, sum(ol_quantity), count(*) FROM order_line"
            + " WHERE ol_w_id = ? AND ol_o_id > "
            + populated
            + " GROUP BY ol_supply_w_id",
        facts.warehouse,
        r -> {
          StockTotals supplied = cross.supplied(r.getInt(1));
          supplied.quantity += r.getLong(2);
          supplied.lines += r.getLong(3);
          supplied.remoteLines += r.getInt(1) == facts.warehouse ? 0 : r.getLong(3);
        });
  }

  private void readPayments(WarehouseFacts facts) throws SQLException {
    query(
        "SELECT h_c_w_id, h_c_d_id, h_c_id, sum(h_amount), count(*) FROM history"
            + " WHERE h_w_id = ? GROUP BY h_c_w_id, h_c_d_id, h_c_id",
        facts.warehouse,
        r -> cross.addPayments(r.getInt(1), r.getInt(2), r.getInt(3), money(r, 4), r.getLong(5)));
  }

  private static long money(ResultSet row, int column) throws SQLException {
    return Money.cents(row.getBigDecimal(column));
  }

  private void query(String sql, int warehouse, RowReader reader) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setInt(1, warehouse);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          reader.read(rows);
        }
      }
    }
  }

  /** Takes the current row. */
  @FunctionalInterface
  private interface RowReader {
    void read(ResultSet row) throws SQLException;
  }
}
