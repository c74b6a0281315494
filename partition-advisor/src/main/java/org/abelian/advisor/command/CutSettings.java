package org.abelian.advisor.command;

import org.abelian.advisor.partitioning.PartitioningOptions;
import picocli.CommandLine.Option;

/** Options of partitioning. */
final class CutSettings {
  @Option(
      names = {"-n", "--nodes"},
      defaultValue = "3",
      description = "how many nodes there are to be (default: ${DEFAULT-VALUE})")
  int nodes;

  @Option(
      names = "--starts",
      defaultValue = "24",
      description = "how often the graph is cut, the best is kept (default: ${DEFAULT-VALUE})")
  int starts;

  @Option(
      names = "--cut-seed",
      defaultValue = "1",
      description = "of the first cut (default: ${DEFAULT-VALUE})")
  int seed;

  @Option(
      names = "--imbalance",
      defaultValue = "100",
      description =
          "how much heavier than the mean a part may be, in thousandths (default:"
              + " ${DEFAULT-VALUE})")
  int imbalance;

  @Option(
      names = "--cut-limit",
      defaultValue = "1800",
      description = "seconds for one cut (default: ${DEFAULT-VALUE})")
  int limit;

  PartitioningOptions options() {
    return new PartitioningOptions(nodes, starts, seed, imbalance, limit);
  }
}
