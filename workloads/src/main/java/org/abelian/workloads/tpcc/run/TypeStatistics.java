package org.abelian.workloads.tpcc.run;

import org.HdrHistogram.Histogram;

/** Counts and latencies of one transaction type. Not thread-safe: one per terminal, then merged. */
public final class TypeStatistics {
  private static final long HIGHEST_MICROS = 3_600_000_000L;
  private static final int DIGITS = 3;

  private final Histogram micros = new Histogram(HIGHEST_MICROS, DIGITS);
  private long committed;
  private long userRollbacks;
  private long retries;
  private long failures;
  private long ambiguous;
  private long coordinated;

  /**
   * A transaction that ended as the user asked.
   *
   * @param nanos from the first attempt to the answer of COMMIT or ROLLBACK
   * @param nodes number of nodes on which it wrote
   */
  void completed(boolean rollback, long nanos, int nodes) {
    if (rollback) {
      userRollbacks++;
    } else {
      committed++;
      coordinated += nodes > 1 ? 1 : 0;
    }
    micros.recordValue(Math.min(Math.max(nanos / 1000, 1), HIGHEST_MICROS));
  }

  void retried() {
    retries++;
  }

  void failed() {
    failures++;
  }

  void unknownOutcome() {
    ambiguous++;
  }

  /** Adds the figures of another terminal. */
  void add(TypeStatistics other) {
    micros.add(other.micros);
    committed += other.committed;
    userRollbacks += other.userRollbacks;
    retries += other.retries;
    failures += other.failures;
    ambiguous += other.ambiguous;
    coordinated += other.coordinated;
  }

  /** Transactions that ended as the user asked: committed, and rolled back on purpose. */
  public long completed() {
    return committed + userRollbacks;
  }

  public long committed() {
    return committed;
  }

  /** Transactions rolled back because the input demands it (clause 2.4.1.4). */
  public long userRollbacks() {
    return userRollbacks;
  }

  /** Attempts that the database rolled back with 40001 or 40P01 and that were tried again. */
  public long retries() {
    return retries;
  }

  /** Transactions given up. */
  public long failures() {
    return failures;
  }

  /** Commits whose outcome the client was not told. */
  public long ambiguous() {
    return ambiguous;
  }

  /** Committed transactions that wrote on more than one node. */
  public long coordinated() {
    return coordinated;
  }

  /** Latency in milliseconds at a percentile within [0, 100]; 0 when nothing was completed. */
  public double percentileMillis(double percentile) {
    return micros.getTotalCount() == 0 ? 0 : micros.getValueAtPercentile(percentile) / 1000.0;
  }
}
