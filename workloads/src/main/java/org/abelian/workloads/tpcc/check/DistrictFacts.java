package org.abelian.workloads.tpcc.check;

/** A district's row and what its open orders look like. Filled by {@link FactsReader}. */
final class DistrictFacts {
  long ytdCents;
  int nextOrder;
  long paidCents;
  int customers;
  long deliveriesOfCustomers;
  int openOrders;
  int lowestOpen;
  int highestOpen;
}
