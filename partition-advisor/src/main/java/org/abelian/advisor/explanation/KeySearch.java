package org.abelian.advisor.explanation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.abelian.advisor.workload.Tuples;
import org.abelian.advisor.workload.Workload;

/**
 * Looks for one column for each table, or its replication, such that few transactions need several
 * values. From each promising column of a table, the other tables are added one after the other,
 * the most used first; then each table's choice is looked at again until none improves.
 */
final class KeySearch {
  private static final int SWEEPS = 5;
  private static final int MOST_ROOTS = 16;

  private final Workload workload;
  private final Tuples tuples;
  private final UsableColumns usable;
  private final boolean loadable;
  private final KeyCost cost;
  private final Integer[] tables;

  /**
   * A search.
   *
   * @param loadable only columns by which the router can place rows today
   * @param places what counts as one place
   */
  KeySearch(Workload workload, UsableColumns usable, int nodes, boolean loadable, Places places) {
    this.workload = workload;
    this.usable = usable;
    this.loadable = loadable;
    tuples = workload.tuples();
    cost = new KeyCost(workload, nodes, places);
    tables = new Integer[tuples.tables().size()];
    Arrays.setAll(tables, i -> i);
    Arrays.sort(tables, Comparator.comparing(table -> -usable.accesses(table)));
  }

  /**
   * What was found.
   *
   * @param root the column that it began from, as table.column
   * @param choice for each table the place of a column or {@link KeyCost#REFERENCE}
   * @param cost the lower the better
   */
  record Found(String root, int[] choice, double cost) {}

  /** All that was found, the best first; no two choose alike. */
  List<Found> run() {
    Map<List<Integer>, Found> found = new LinkedHashMap<>();
    int roots = 0;
    for (int table : tables) {
      for (int column : usable.of(table, UsableColumns.HALF, loadable)) {
        if (roots++ < MOST_ROOTS) {
          Found one = from(table, column);
          found.putIfAbsent(Arrays.stream(one.choice()).boxed().toList(), one);
        }
      }
    }
    List<Found> sorted = new ArrayList<>(found.values());
    sorted.sort(Comparator.comparingDouble(Found::cost));
    return sorted;
  }

  private Found from(int root, int column) {
    int[] choice = new int[tables.length];
    Arrays.fill(choice, KeyCost.OPEN);
    choice[root] = column;
    for (int table : tables) {
      if (table != root) {
        improve(choice, table);
      }
    }
    double before;
    double now = cost.of(choice);
    int sweep = 0;
    do {
      before = now;
      for (int table : tables) {
        // The root stays, so that the choices of others can be compared.
        if (table != root) {
          now = improve(choice, table);
        }
      }
    } while (now < before - 1e-9 && ++sweep < SWEEPS);
    String name =
        tuples.tables().get(root).name()
            + "."
            + tuples.tables().get(root).attributes().get(column).name();
    return new Found(name, choice, now);
  }

  private double improve(int[] choice, int table) {
    int best = KeyCost.REFERENCE;
    double bestCost = Double.MAX_VALUE;
    List<Integer> options = new ArrayList<>(usable.of(table, UsableColumns.HALF, loadable));
    options.add(KeyCost.REFERENCE);
    for (int option : options) {
      choice[table] = option;
      double now = cost.of(choice);
      if (now < bestCost - 1e-9) {
        best = option;
        bestCost = now;
      }
    }
    choice[table] = best;
    return bestCost;
  }

  /** How many transactions it looked at. */
  int transactions() {
    return workload.size();
  }
}
