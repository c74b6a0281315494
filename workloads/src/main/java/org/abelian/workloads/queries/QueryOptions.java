package org.abelian.workloads.queries;

import java.time.Duration;

/**
 * How the benchmark runs.
 *
 * @param runs timed, after the one that compares
 * @param timeout of each query, on each side
 * @param reuse whether tables that an earlier benchmark has left are used again
 */
public record QueryOptions(int runs, Duration timeout, boolean reuse) {}
