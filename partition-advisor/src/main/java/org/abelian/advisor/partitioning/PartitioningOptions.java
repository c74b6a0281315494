package org.abelian.advisor.partitioning;

import org.abelian.advisor.AdvisorException;

/**
 * How a graph is cut.
 *
 * @param parts how many partitions
 * @param starts how often it is tried, each time with the next seed
 * @param seed of the first try
 * @param imbalance how much heavier than the mean a partition may be, in thousandths
 * @param limit seconds for one try
 * @param python the interpreter that has Mt-KaHyPar, which then cuts the hypergraph; null for METIS
 */
public record PartitioningOptions(
    int parts, int starts, int seed, int imbalance, int limit, String python) {
  /** For METIS. */
  public PartitioningOptions(int parts, int starts, int seed, int imbalance, int limit) {
    this(parts, starts, seed, imbalance, limit, null);
  }

  /** Checks the numbers. */
  public PartitioningOptions {
    if (parts < 2 || parts > 1024) {
      throw new AdvisorException("the number of partitions must lie between 2 and 1024: " + parts);
    }
    if (starts < 1 || imbalance < 1 || limit < 1) {
      throw new AdvisorException("starts, imbalance and limit must be at least 1");
    }
  }
}
