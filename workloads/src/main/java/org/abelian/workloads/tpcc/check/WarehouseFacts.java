package org.abelian.workloads.tpcc.check;

import java.util.Map;
import java.util.TreeMap;

/** What the tables say about one warehouse. Filled by {@link FactsReader}. */
final class WarehouseFacts {
  final int warehouse;
  long ytdCents;
  final Map<Integer, DistrictFacts> districts = new TreeMap<>();

  /** By district and order id. */
  final Map<Long, OrderFacts> orders = new TreeMap<>();

  /** By district and customer id. */
  final Map<Long, CustomerFacts> customers = new TreeMap<>();

  final StockTotals stock = new StockTotals();

  WarehouseFacts(int warehouse) {
    this.warehouse = warehouse;
  }

  private static long key(int district, int id) {
    return (long) district << 32 | id;
  }

  /** The district, made empty where it is not known yet. */
  DistrictFacts district(int id) {
    return districts.computeIfAbsent(id, k -> new DistrictFacts());
  }

  /** The order, made empty where it is not known yet. */
  OrderFacts order(int district, int id) {
    return orders.computeIfAbsent(key(district, id), k -> new OrderFacts(district, id));
  }

  /** The customer, made empty where it is not known yet. */
  CustomerFacts customer(int district, int id) {
    return customers.computeIfAbsent(key(district, id), k -> new CustomerFacts(district, id));
  }
}
