package org.abelian.advisor.partitioning;

import java.util.List;

/**
 * What came of cutting a graph.
 *
 * @param parts how many partitions
 * @param seed of the try that was kept
 * @param tries those whose transactions were counted, the lightest cut first
 * @param partitionSeed of the division of the trace, handed on
 * @param heldOut the share of transactions that the graph does not know, handed on
 */
public record PartitioningDescription(
    int parts, int seed, List<Try> tries, long partitionSeed, double heldOut) {
  /**
   * One try.
   *
   * @param weight of the edges that it cuts
   * @param distributed the share of the graph's transactions that need several partitions
   * @param replicated the share of tuples that are copied everywhere
   */
  public record Try(int seed, long weight, double distributed, double replicated) {}

  /** Copies the list. */
  public PartitioningDescription {
    tries = List.copyOf(tries);
  }
}
