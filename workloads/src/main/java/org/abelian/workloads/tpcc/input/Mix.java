package org.abelian.workloads.tpcc.input;

/** Chooses the type of a terminal's next transaction (clause 5.2.4). Not thread-safe. */
public interface Mix {
  TransactionType next();
}
