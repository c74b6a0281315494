package org.abelian.advisor.benchmark;

/**
 * What a phase took.
 *
 * @param phase its command
 * @param seconds of wall-clock time, with the start of its process
 * @param mebibytes greatest resident memory of its process and of the programs that it ran
 */
public record PhaseCost(String phase, double seconds, long mebibytes) {}
