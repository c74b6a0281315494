package org.abelian.advisor.workload;

import org.abelian.advisor.AdvisorException;

/**
 * Which transactions of a trace are meant: those that advice is made from, or the others, which
 * judge it. By a hash of the transaction's number, so that all phases agree without a file.
 *
 * @param seed of the division and of all sampling
 * @param heldOut the share that judges, between 0 and 1
 */
public record Part(long seed, double heldOut) {
  /** A quarter judges. */
  public static final double USUAL_HELD_OUT = 0.25;

  /** Checks the share. */
  public Part {
    if (!(heldOut > 0 && heldOut < 1)) {
      throw new AdvisorException("the share that is held out must lie between 0 and 1: " + heldOut);
    }
  }

  /** An SQL condition over the column tx: the transactions that advice is made from. */
  public String training() {
    return "(NOT " + judging() + ")";
  }

  /** An SQL condition over the column tx: the transactions that judge. */
  public String judging() {
    return "(hash(tx, " + seed + ", 'part') % 10000 < " + Math.round(heldOut * 10_000) + ")";
  }

  /** An SQL condition that a share of all values of an expression fulfil. */
  public String sampled(String expression, String share) {
    return "(hash(" + expression + ", " + seed + ", 'sample') % 1000000 < (" + share + ") * 1e6)";
  }
}
