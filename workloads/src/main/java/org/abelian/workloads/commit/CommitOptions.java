package org.abelian.workloads.commit;

/**
 * Size of the benchmark.
 *
 * @param clients concurrent clients
 * @param seconds of each measurement
 * @param rounds of all variants
 * @param rows of the table
 * @param brief only the variants that the ratios need
 */
public record CommitOptions(int clients, int seconds, int rounds, int rows, boolean brief) {}
