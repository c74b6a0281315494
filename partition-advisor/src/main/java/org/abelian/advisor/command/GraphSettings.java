package org.abelian.advisor.command;

import org.abelian.advisor.graph.GraphOptions;
import org.abelian.advisor.workload.Part;
import picocli.CommandLine.Option;

/** Options of the graph. */
final class GraphSettings {
  /** What partitions are to have equally much of. */
  enum Balance {
    /** Accesses. */
    LOAD,
    /** Bytes. */
    SIZE
  }

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "of sampling, and of what is held out (default: ${DEFAULT-VALUE})")
  long seed;

  @Option(
      names = "--held-out",
      defaultValue = "0.25",
      description = "share of transactions that only judge (default: ${DEFAULT-VALUE})")
  double heldOut;

  @Option(
      names = "--tuples",
      defaultValue = "1",
      description = "share of tuples in the graph (default: ${DEFAULT-VALUE})")
  double tuples;

  @Option(
      names = "--transactions",
      defaultValue = "1",
      description = "share of transactions in the graph (default: ${DEFAULT-VALUE})")
  double transactions;

  @Option(
      names = "--keep",
      defaultValue = "1000",
      description = "tables with no more tuples are kept whole (default: ${DEFAULT-VALUE})")
  int keep;

  @Option(
      names = "--relevance",
      defaultValue = "1",
      description = "tuples that fewer transactions touch are left out (default: ${DEFAULT-VALUE})")
  int relevance;

  @Option(
      names = "--largest",
      defaultValue = "2000",
      description = "transactions of more tuples are left out (default: ${DEFAULT-VALUE})")
  int largest;

  @Option(
      names = "--clique",
      defaultValue = "8",
      description = "transactions of more tuples become stars (default: ${DEFAULT-VALUE})")
  int clique;

  @Option(names = "--no-replication", description = "no tuple is copied")
  boolean noReplication;

  @Option(
      names = "--balance-by",
      defaultValue = "LOAD",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
  Balance balance;

  GraphOptions options() {
    return new GraphOptions(
        new Part(seed, heldOut),
        tuples,
        transactions,
        keep,
        relevance,
        largest,
        clique,
        !noReplication,
        balance == Balance.SIZE);
  }
}
