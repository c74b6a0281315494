package org.abelian.workloads.router;

/**
 * Size of the benchmark.
 *
 * @param clients concurrent connections
 * @param seconds of each measurement
 * @param rounds of all variants
 * @param rows of the table
 */
public record RouterOptions(int clients, int seconds, int rounds, int rows) {}
