package org.abelian.workloads.tpcc.input;

/** How a terminal chooses the home warehouse of a transaction. */
public enum HomeWarehouse {
  /** Each terminal keeps one warehouse, as specified (clause 2.4.1.1). */
  FIXED,
  /** A new choice for each transaction, all warehouses alike. */
  UNIFORM,
  /** A new choice for each transaction, low numbers much more often (Zipf, theta 0.99). */
  ZIPF
}
