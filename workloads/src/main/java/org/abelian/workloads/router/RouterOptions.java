package org.abelian.workloads.router;

import java.time.Duration;

/**
 * Size of the benchmark.
 *
 * @param clients concurrent connections
 * @param many the same where there are many; 0 for no such measurements
 * @param time of each measurement
 * @param rounds of all variants
 * @param rows of the table
 * @param warmUp how long each way runs before anything is measured
 */
public record RouterOptions(
    int clients, int many, Duration time, int rounds, int rows, Duration warmUp) {}
