package org.abelian.advisor.explanation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.workload.Tuples;
import org.abelian.advisor.workload.Workload;

/**
 * Which tables' keys mean the same: those that a foreign key makes equal, and two tables of which
 * transactions use equal keys, more often than by chance. Chance is what one transaction has in
 * common with the one before.
 */
final class Colocations {
  private static final double LEAST_SHARE = 0.1;
  private static final double LEAST_LIFT = 3;

  private final int[] group;

  Colocations(Workload workload, int[] choice) {
    int tables = choice.length;
    long[][] both = new long[tables][tables];
    long[][] equal = new long[tables][tables];
    long[][] chance = new long[tables][tables];
    List<Set<Integer>> before = keys(workload, 0, choice);
    for (int transaction = 0; transaction < workload.size(); transaction++) {
      List<Set<Integer>> keys = keys(workload, transaction, choice);
      count(keys, keys, both, equal);
      count(keys, before, new long[tables][tables], chance);
      before = keys;
    }
    group = new int[tables];
    Arrays.setAll(group, i -> i);
    joinByForeignKeys(workload.tuples().tables(), choice);
    for (int a = 0; a < tables; a++) {
      for (int b = a + 1; b < tables; b++) {
        if (both[a][b] > 0
            && equal[a][b] >= LEAST_SHARE * both[a][b]
            && equal[a][b] >= LEAST_LIFT * chance[a][b]) {
          join(group[a], group[b]);
        }
      }
    }
  }

  private void joinByForeignKeys(List<TraceTable> tables, int[] choice) {
    for (int a = 0; a < choice.length; a++) {
      for (int b = 0; b < choice.length; b++) {
        if (choice[a] < 0 || choice[b] < 0) {
          continue;
        }
        String mine = tables.get(a).attributes().get(choice[a]).name();
        String other = tables.get(b).attributes().get(choice[b]).name();
        String id = tables.get(b).id();
        if (tables.get(a).foreignKeys().stream()
            .anyMatch(key -> key.table().equals(id) && key.maps(mine, other))) {
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

  /** The keys of each table that a transaction uses. */
  private static List<Set<Integer>> keys(Workload workload, int transaction, int[] choice) {
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
    return keys;
  }

  private static void count(
      List<Set<Integer>> ones, List<Set<Integer>> others, long[][] both, long[][] equal) {
    for (int a = 0; a < ones.size(); a++) {
      for (int b = a + 1; b < ones.size(); b++) {
        if (!ones.get(a).isEmpty() && !others.get(b).isEmpty()) {
          both[a][b]++;
          equal[a][b] += ones.get(a).stream().anyMatch(others.get(b)::contains) ? 1 : 0;
        }
      }
    }
  }
}
