package org.abelian.workloads.evaluate;

/** Where the tables are. */
public enum Place {
  /** One PostgreSQL with the extension, without a router. */
  ONE,
  /** Three nodes, through the router in the driver. */
  CLUSTER
}
