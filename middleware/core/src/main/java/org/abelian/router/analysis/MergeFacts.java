package org.abelian.router.analysis;

import java.util.List;

/**
 * How the answers of several nodes to a SELECT become one.
 *
 * @param worker the text that each node runs; null unless the mode is COMBINE
 * @param combine the text that one node runs over the workers' rows, given as array parameters;
 *     null unless COMBINE
 * @param workerTypes type OIDs of the worker's columns
 * @param reason why it cannot be merged; null unless REFUSE
 */
public record MergeFacts(
    Mode mode, String worker, String combine, List<Integer> workerTypes, String reason) {
  /** The ways to merge. */
  public enum Mode {
    /** One after the other, in any order. */
    CONCAT,
    /** By a query that one node runs over all rows. */
    COMBINE,
    /** Not at all. */
    REFUSE
  }

  /** Copies the list. */
  public MergeFacts {
    workerTypes = List.copyOf(workerTypes);
  }
}
