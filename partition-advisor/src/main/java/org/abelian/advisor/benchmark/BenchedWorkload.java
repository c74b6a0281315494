package org.abelian.advisor.benchmark;

import java.util.List;
import java.util.Locale;
import org.abelian.advisor.sample.SampleKind;

/**
 * A workload that is measured.
 *
 * @param kind which
 * @param scale as {@link SampleKind} says
 * @param transactions of the trace
 * @param nodes to place it on
 * @param tuples the share of tuples in the graph
 */
public record BenchedWorkload(
    SampleKind kind, int scale, int transactions, int nodes, double tuples) {
  /** Those of the dissertation; TPC-C as in its table 8.1. */
  public static final List<BenchedWorkload> ALL =
      List.of(
          new BenchedWorkload(SampleKind.TPCC, 15, 42_000, 15, 0.2),
          new BenchedWorkload(SampleKind.TPCW, 1, 20_000, 3, 1),
          new BenchedWorkload(SampleKind.AUCTIONMARK, 1, 20_000, 3, 1),
          new BenchedWorkload(SampleKind.EPINIONS, 1, 20_000, 3, 1),
          new BenchedWorkload(SampleKind.RETWIS, 20, 20_000, 3, 1));

  /** The same with another number of transactions. */
  public BenchedWorkload withTransactions(int count) {
    return new BenchedWorkload(kind, scale, count, nodes, tuples);
  }

  /** For options, files and JSON. */
  public String name() {
    return kind.name().toLowerCase(Locale.ROOT);
  }
}
