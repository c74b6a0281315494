package org.abelian.workloads.workload;

/**
 * What the check of a rule has found.
 *
 * @param claim what should hold
 * @param violations 0 when it does
 */
public record Finding(String claim, long violations) {}
