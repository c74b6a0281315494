package org.abelian.workloads.tpcc.journal;

/** Where terminals write what they were told about their commits. Thread-safe. */
public interface Journal {
  /** Keeps nothing. */
  Journal NONE = entry -> {};

  /** Writes an entry before it returns, so that a killed client leaves no gap. */
  void write(Entry entry);
}
