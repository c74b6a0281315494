package org.abelian.workloads.tpcc.check;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What crosses warehouses: payments by customers of other warehouses, and order lines supplied by
 * other warehouses. Summed up over all warehouses before any condition is judged.
 */
final class CrossFacts {
  /** Payments of one customer. */
  static final class Payments {
    long cents;
    long count;
  }

  private final Map<String, Payments> payments = new HashMap<>();
  private final Map<Integer, StockTotals> supplied = new TreeMap<>();

  private static String key(int warehouse, int district, int customer) {
    return warehouse + "/" + district + "/" + customer;
  }

  void addPayments(int warehouse, int district, int customer, long cents, long count) {
    Payments sum =
        payments.computeIfAbsent(key(warehouse, district, customer), k -> new Payments());
    sum.cents += cents;
    sum.count += count;
  }

  Payments payments(int warehouse, CustomerFacts customer) {
    return payments.getOrDefault(key(warehouse, customer.district, customer.id), new Payments());
  }

  /** What order lines say was taken from a warehouse's stock. */
  StockTotals supplied(int warehouse) {
    return supplied.computeIfAbsent(warehouse, k -> new StockTotals());
  }
}
