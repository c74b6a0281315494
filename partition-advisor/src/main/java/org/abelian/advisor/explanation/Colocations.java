package org.abelian.advisor.explanation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.abelian.advisor.workload.Tuples;
import org.abelian.advisor.workload.Workload;

/**
 * Which tables' keys mean the same: of two tables with keys, those for which most transactions that
 * use both use an equal key in both.
 */
final class Colocations {
  private static final double LEAST_SHARE = 0.5;

  private final int[] group;

  Colocations(Workload workload, int[] choice) {
    int tables = choice.length;
    long[][] both = new long[tables][tables];
    long[][] equal = new long[tables][tables];
    for (int transaction = 0; transaction < workload.size(); transaction++) {
      count(workload, transaction, choice, both, equal);
    }
    group = new int[tables];
    Arrays.setAll(group, i -> i);
    for (int a = 0; a < tables; a++) {
      for (int b = a + 1; b < tables; b++) {
        if (both[a][b] > 0 && equal[a][b] >= LEAST_SHARE * both[a][b]) {
          join(group[a], group[b]);
        }
      }
    }
  }

  /** The number of a table's group. */
  int of(int table) {
    return group[table];
  }

  private void join(int a, int b) {
    for (int i = 0; i < group.length; i++) {
      if (group[i] == b) {
        group[i] = a;
      }
    }
  }

  private static void count(
      Workload workload, int transaction, int[] choice, long[][] both, long[][] equal) {
    Tuples tuples = workload.tuples();
    List<Set<Integer>> keys = new ArrayList<>();
    for (int table = 0; table < choice.length; table++) {
      keys.add(new HashSet<>());
    }
    for (int access = workload.first(transaction);
        access < workload.first(transaction + 1);
        access++) {
      int tuple = workload.tuple(access);
      int table = tuples.table(tuple);
      if (choice[table] >= 0 && tuples.value(tuple, choice[table]) != Tuples.UNKNOWN) {
        keys.get(table).add(tuples.value(tuple, choice[table]));
      }
    }
    for (int a = 0; a < choice.length; a++) {
      for (int b = a + 1; b < choice.length; b++) {
        if (!keys.get(a).isEmpty() && !keys.get(b).isEmpty()) {
          both[a][b]++;
          equal[a][b] += keys.get(a).stream().anyMatch(keys.get(b)::contains) ? 1 : 0;
        }
      }
    }
  }
}
