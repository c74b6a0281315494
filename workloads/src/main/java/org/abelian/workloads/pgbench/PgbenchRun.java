package org.abelian.workloads.hotrow;

import org.abelian.workloads.measure.Sample;

/**
 * Figures of one run of pgbench.
 *
 * @param committed transactions that pgbench was told are committed
 */
record PgbenchRun(Sample sample, long committed) {}
