package org.abelian.workloads.tpcc.check;

import org.abelian.workloads.tpcc.schema.Scale;

/**
 * What the initial population of a district was. Each customer has one initial order (clause
 * 4.3.3.1), and customers never come or go.
 */
final class Populated {
  private Populated() {}

  static int orders(DistrictFacts district) {
    return district.customers;
  }

  static int delivered(DistrictFacts district) {
    return Scale.delivered(district.customers);
  }
}
