package org.abelian.advisor.explanation;

import java.util.ArrayList;
import java.util.List;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.workload.Tuples;
import org.abelian.advisor.workload.Workload;

/** Which columns statements name often enough to place rows by. */
final class UsableColumns {
  /** For keys, whose cost counts the accesses that do not name them. */
  static final double HALF = 0.5;

  /** For rules, which know nothing of that cost. */
  static final double ALMOST_ALL = 0.95;

  private final Tuples tuples;
  private final long[] accesses;
  private final long[][] named;

  UsableColumns(Workload workload) {
    tuples = workload.tuples();
    int tables = tuples.tables().size();
    accesses = new long[tables];
    named = new long[tables][];
    for (int table = 0; table < tables; table++) {
      named[table] = new long[tuples.tables().get(table).attributes().size()];
    }
    for (int access = 0; access < workload.accesses(); access++) {
      int table = tuples.table(workload.tuple(access));
      accesses[table]++;
      for (int i = 0; i < named[table].length; i++) {
        if ((workload.bound(access) >> i & 1) != 0) {
          named[table][i]++;
        }
      }
    }
  }

  /** How many accesses a table has. */
  long accesses(int table) {
    return accesses[table];
  }

  /**
   * The places of the columns that a share of a table's accesses name. Others would send too many
   * statements to all nodes.
   *
   * @param loadable only those that all its unique keys contain
   */
  List<Integer> of(int table, double share, boolean loadable) {
    TraceTable described = tuples.tables().get(table);
    List<Integer> usable = new ArrayList<>();
    for (int i = 0; i < named[table].length; i++) {
      if (named[table][i] >= share * accesses[table]
          && accesses[table] > 0
          && (!loadable || described.canDistribute(described.attributes().get(i).name()))) {
        usable.add(i);
      }
    }
    return usable;
  }
}
