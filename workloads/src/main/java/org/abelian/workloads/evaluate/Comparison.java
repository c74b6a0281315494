package org.abelian.workloads.evaluate;

/**
 * Throughput of one arm over that of another.
 *
 * @param name by which results name it
 * @param goal what it should be at least; NaN where nothing was promised
 * @param paper what a paper says, with its name; empty where none does
 */
public record Comparison(String name, Arm over, Arm under, double goal, String paper) {}
