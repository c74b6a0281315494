package org.abelian.workloads.tpcc.journal;

/** Identifies the row that proves that a transaction committed. */
public sealed interface EntryKey permits OrderKey, PaymentKey {
  /** Warehouse whose partition holds the row. */
  int warehouse();
}
