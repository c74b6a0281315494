package org.abelian.workloads.command;

import org.abelian.workloads.tpcw.TpcwMix;
import picocli.CommandLine.Option;

/** Options for the size and the mix of published workloads; each has a meaning for some of them. */
final class WorkloadSize {
  @Option(
      names = "--scale",
      defaultValue = "1",
      description =
          "of rubis and like: a factor of the paper's size; of epinions, auctionmark and tpcw: of"
              + " the usual size; default: ${DEFAULT-VALUE}")
  private double scale;

  @Option(
      names = "--graph-scale",
      defaultValue = "16",
      description = "of retwis: 2 to the power of it users; default: ${DEFAULT-VALUE}")
  private int graphScale;

  @Option(
      names = "--mix",
      defaultValue = "WRITES",
      description =
          "${COMPLETION-CANDIDATES}: of rubis bid-heavy or read-heavy, of retwis post-heavy or"
              + " read-heavy; default: ${DEFAULT-VALUE}")
  private Share mix;

  @Option(
      names = "--tpcw-mix",
      defaultValue = "SHOPPING",
      description = "${COMPLETION-CANDIDATES}: of tpcw; default: ${DEFAULT-VALUE}")
  private TpcwMix tpcwMix;

  @Option(
      names = "--reads",
      paramLabel = "PERCENT",
      defaultValue = "50",
      description = "of like, multikey and bank: share of reads; default: ${DEFAULT-VALUE}")
  private int readPercent;

  @Option(
      names = "--keys",
      defaultValue = "1000",
      description =
          "of incr: keys; of multikey: groups of keys; of bank: accounts; default:"
              + " ${DEFAULT-VALUE}")
  private int keys;

  @Option(
      names = "--hot",
      paramLabel = "PERCENT",
      defaultValue = "100",
      description = "of incr: additions to one key; default: ${DEFAULT-VALUE}")
  private int hotPercent;

  @Option(
      names = "--transaction-keys",
      defaultValue = "50",
      description =
          "of multikey: gets or puts of a transaction, 1 to 500; default: ${DEFAULT-VALUE}")
  private int transactionKeys;

  /** What there is much of in a mix. */
  private enum Share {
    WRITES,
    READS
  }

  double scale() {
    return scale;
  }

  int graphScale() {
    return graphScale;
  }

  boolean writesMuch() {
    return mix == Share.WRITES;
  }

  TpcwMix tpcwMix() {
    return tpcwMix;
  }

  int readPercent() {
    return readPercent;
  }

  int keys() {
    return keys;
  }

  int hotPercent() {
    return hotPercent;
  }

  int transactionKeys() {
    return transactionKeys;
  }
}
