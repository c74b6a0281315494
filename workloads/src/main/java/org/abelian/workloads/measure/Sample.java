package org.abelian.workloads.measure;

/**
 * Figures of one variant in one round.
 *
 * @param throughput completed operations per second
 * @param p50Millis median latency in milliseconds
 * @param p99Millis 99th percentile of the latency in milliseconds
 * @param failures operations that failed
 */
public record Sample(double throughput, double p50Millis, double p99Millis, long failures) {}
