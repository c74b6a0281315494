package org.abelian.workloads.measure;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * A line of a benchmark's result.
 *
 * @param variant what was measured
 * @param clients concurrent clients
 * @param throughput completed operations per second
 * @param p50Millis median latency in milliseconds
 * @param p99Millis 99th percentile of the latency in milliseconds
 * @param failures operations that failed
 */
public record BenchRow(
    String variant,
    int clients,
    @JsonProperty("throughput_per_s") double throughput,
    @JsonProperty("p50_ms") double p50Millis,
    @JsonProperty("p99_ms") double p99Millis,
    long failures) {}
