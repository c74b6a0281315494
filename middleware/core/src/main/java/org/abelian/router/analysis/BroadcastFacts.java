package org.abelian.router.analysis;

/**
 * How nodes join their own rows of the largest tables with all rows of the others, which each of
 * them gets: a broadcast join.
 *
 * @param rows gathers the rows of the others, as for a change: its combine text is what each node
 *     makes of them and of its own
 * @param merge how that is merged; all of its texts take the arrays of the rows behind the
 *     statement's own parameters
 * @param finishNeedsRows whether the query that finishes it reads those arrays as well
 * @param movedBytes what one node gives of the others, as its planner estimates
 * @param allBytes what it would give if nothing stayed
 */
public record BroadcastFacts(
    MergeFacts rows,
    MergeFacts merge,
    boolean finishNeedsRows,
    double movedBytes,
    double allBytes) {
  /**
   * Whether less passes through the router than when one node joins all rows, which it takes and
   * gives once each.
   *
   * @param nodes how many get the rows
   */
  public boolean isCheaper(int nodes) {
    return 2 * allBytes > (1 + nodes) * movedBytes;
  }
}
