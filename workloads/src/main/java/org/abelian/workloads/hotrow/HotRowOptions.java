package org.abelian.workloads.hotrow;

/**
 * Size of the benchmark.
 *
 * @param clients concurrent connections
 * @param seconds of each measurement
 * @param rounds of all variants
 * @param rows of the tables; the uniform load spreads over them
 */
public record HotRowOptions(int clients, int seconds, int rounds, int rows) {}
