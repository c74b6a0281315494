package org.abelian.workloads.commit;

import java.time.Duration;
import java.util.regex.Pattern;

/**
 * Size of the benchmark.
 *
 * @param clients concurrent clients
 * @param time of each measurement
 * @param rounds of all variants
 * @param rows of the table
 * @param brief only the variants that the ratios need
 * @param warmUp how long each way runs before anything is measured: routers run for days, and a
 *     young virtual machine spends much of its time compiling
 * @param only the variants to measure, by a part of their names
 */
public record CommitOptions(
    int clients,
    Duration time,
    int rounds,
    int rows,
    boolean brief,
    Duration warmUp,
    Pattern only) {}
