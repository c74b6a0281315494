package org.abelian.workloads.workload;

/**
 * A condition of consistency.
 *
 * @param claim what holds
 * @param violations a query for the number of its violations
 */
public record Rule(String claim, String violations) {}
