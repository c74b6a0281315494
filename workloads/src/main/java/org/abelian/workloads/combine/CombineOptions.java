package org.abelian.workloads.combine;

/**
 * Size of the benchmark.
 *
 * @param clients concurrent sessions where there are many
 * @param few concurrent sessions where there are few
 * @param seconds of each measurement
 * @param rounds of all variants
 */
public record CombineOptions(int clients, int few, int seconds, int rounds) {}
