package org.abelian.workloads.tpcc.journal;

/**
 * The row of ORDERS that a NewOrder inserts.
 *
 * @param entryMicros O_ENTRY_D in microseconds since 1970; unique among the attempts of a run, so
 *     that an order id that a rolled-back transaction gave back is not taken for its own
 */
public record OrderKey(int warehouse, int district, int order, int customer, long entryMicros)
    implements EntryKey {}
