package org.abelian.workloads.scatter;

/**
 * Size of the benchmark.
 *
 * @param clients concurrent readers where there are several
 * @param writers beside readers
 * @param seconds of each measurement
 * @param rounds of all variants
 * @param rows of the table
 */
public record ScatterOptions(int clients, int writers, int seconds, int rounds, int rows) {}
