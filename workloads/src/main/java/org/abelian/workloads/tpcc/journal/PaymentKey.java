package org.abelian.workloads.tpcc.journal;

/**
 * The row of HISTORY that a Payment inserts.
 *
 * @param dateMicros H_DATE in microseconds since 1970; unique among the attempts of a run
 * @param cents H_AMOUNT in hundredths
 */
public record PaymentKey(
    int warehouse,
    int district,
    int customerWarehouse,
    int customerDistrict,
    int customer,
    long dateMicros,
    long cents)
    implements EntryKey {}
