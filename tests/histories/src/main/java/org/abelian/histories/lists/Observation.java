package org.abelian.histories.lists;

import java.util.List;
import java.util.Map;

/**
 * What one statement has read, without locking it.
 *
 * @param lists the list at each key
 * @param counters the counter and the marks at each key; empty when they were not read
 * @param overNodes whether the statement reads several nodes
 * @param sent when it was sent
 * @param answered when it was answered
 */
public record Observation(
    Map<Integer, List<Long>> lists,
    Map<Integer, Counted> counters,
    boolean overNodes,
    long sent,
    long answered) {
  /**
   * A key's counter, and the numbers of those that have counted.
   *
   * @param count the counter
   * @param marks one number of each transaction that has counted
   */
  public record Counted(long count, List<Long> marks) {}
}
