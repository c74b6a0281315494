package org.abelian.workloads.router;

import java.time.Duration;

/**
 * Size of the benchmark.
 *
 * @param busy sessions that execute statements
 * @param idle sessions beside them that do nothing
 * @param time of each measurement
 * @param rounds of all variants
 * @param rows of the table
 * @param warmUp how long the busy sessions run before anything is measured
 */
public record ConnectionsOptions(
    int busy, int idle, Duration time, int rounds, int rows, Duration warmUp) {}
