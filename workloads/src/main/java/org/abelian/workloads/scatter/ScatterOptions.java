package org.abelian.workloads.scatter;

import java.time.Duration;

/**
 * Size of the benchmark.
 *
 * @param clients concurrent readers where there are several
 * @param many the same where there are many
 * @param writers beside readers
 * @param time of each measurement
 * @param rounds of all variants
 * @param rows of the tables
 * @param warmUp how long each way runs before anything is measured
 */
public record ScatterOptions(
    int clients, int many, int writers, Duration time, int rounds, int rows, Duration warmUp) {}
