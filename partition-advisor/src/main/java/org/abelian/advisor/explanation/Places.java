package org.abelian.advisor.explanation;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.advisor.workload.Tuples;

/** What counts as one place while keys are looked for, numbered from 0. */
interface Places {
  /** How many there are. */
  int count();

  /** The place of a tuple by a column whose value is known. */
  int of(int tuple, int column);

  /**
   * Each key is a place of its own, whatever node it would hash to: what does not depend on luck
   * stays good with more nodes.
   */
  static Places ofKeys(Tuples tuples) {
    return new Places() {
      @Override
      public int count() {
        return tuples.valueCount();
      }

      @Override
      public int of(int tuple, int column) {
        return tuples.value(tuple, column);
      }
    };
  }

  /**
   * Keys are where most of the use of their table's rows is; those that the partitioning does not
   * know are spread.
   *
   * @param partition of each tuple; below 0 where it has none
   * @param weight of each tuple
   */
  static Places ofPartitions(Tuples tuples, int[] partition, int[] weight, int parts) {
    Map<Long, Map<Integer, Long>> votes = new HashMap<>();
    for (int tuple = 0; tuple < tuples.size(); tuple++) {
      if (partition[tuple] >= 0) {
        int columns = tuples.tables().get(tuples.table(tuple)).attributes().size();
        for (int column = 0; column < columns; column++) {
          if (tuples.value(tuple, column) != Tuples.UNKNOWN) {
            votes
                .computeIfAbsent(key(tuples, tuple, column), fresh -> new TreeMap<>())
                .merge(partition[tuple], (long) weight[tuple], Long::sum);
          }
        }
      }
    }
    Map<Long, Integer> winners = new HashMap<>();
    votes.forEach((key, counts) -> winners.put(key, KeyVotes.winner(counts)));
    return new Places() {
      @Override
      public int count() {
        return parts;
      }

      @Override
      public int of(int tuple, int column) {
        return winners.getOrDefault(
            key(tuples, tuple, column), tuples.value(tuple, column) % parts);
      }
    };
  }

  private static long key(Tuples tuples, int tuple, int column) {
    return ((long) tuples.table(tuple) * Long.SIZE + column) << Integer.SIZE
        | tuples.value(tuple, column);
  }
}
