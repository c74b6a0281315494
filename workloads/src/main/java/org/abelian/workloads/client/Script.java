package org.abelian.workloads.client;

/** What one client does, a transaction after the other. Each client has its own. */
@FunctionalInterface
public interface Script {
  /** The next transaction. */
  Transaction next();
}
