package org.abelian.workloads.tpcc.check;

/** A customer's totals and what was delivered to the customer. Filled by {@link FactsReader}. */
final class CustomerFacts {
  final int district;
  final int id;
  long balanceCents;
  long ytdPaymentCents;
  long payments;
  long deliveries;
  long deliveredCents;
  long deliveredOrders;

  CustomerFacts(int district, int id) {
    this.district = district;
    this.id = id;
  }
}
