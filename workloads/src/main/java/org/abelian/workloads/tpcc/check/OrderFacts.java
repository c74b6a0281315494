package org.abelian.workloads.tpcc.check;

/** An order and what its lines look like. Filled by {@link FactsReader}. */
final class OrderFacts {
  final int district;
  final int id;
  boolean exists;
  boolean open;
  int customer;
  boolean hasCarrier;
  int declaredLines;
  int lines;
  int deliveredLines;
  long deliveredCents;

  OrderFacts(int district, int id) {
    this.district = district;
    this.id = id;
  }
}
