package org.abelian.workloads.pgbench;

import org.abelian.workloads.measure.Sample;

/**
 * Figures of one run of pgbench.
 *
 * @param committed transactions that pgbench was told are committed
 * @param retries tries beyond the first
 */
public record PgbenchRun(Sample sample, long committed, long retries) {}
