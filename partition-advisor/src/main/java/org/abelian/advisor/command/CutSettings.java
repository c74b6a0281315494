package org.abelian.advisor.command;

import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.partitioning.PartitioningOptions;
import picocli.CommandLine.Option;

/** Options of partitioning. */
final class CutSettings {
  /** The environment's variable that names the Python interpreter that has Mt-KaHyPar. */
  private static final String PYTHON = "ABELIAN_MTKAHYPAR_PYTHON";

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

  @Option(
      names = "--hypergraph",
      description =
          "cut the hypergraph by Mt-KaHyPar instead of the graph by METIS, once;"
              + " ./abelian advise installs it")
  boolean hypergraph;

  PartitioningOptions options() {
    String python = hypergraph ? System.getenv(PYTHON) : null;
    if (hypergraph && python == null) {
      throw new AdvisorException(
          "Mt-KaHyPar is not installed: run ./abelian advise, or name a Python that has it by "
              + PYTHON);
    }
    return new PartitioningOptions(nodes, starts, seed, imbalance, limit, python);
  }
}
