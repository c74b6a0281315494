package org.abelian.workloads.measure;

/**
 * One of the things that a benchmark compares.
 *
 * @param name unique within the benchmark
 * @param clients concurrent clients
 */
public record Variant(String name, int clients, Measurement measurement) {
  /** Measures a variant once. */
  @FunctionalInterface
  public interface Measurement {
    /**
     * @param round number of the round, from 0
     */
    Sample measure(int round) throws Exception;
  }
}
