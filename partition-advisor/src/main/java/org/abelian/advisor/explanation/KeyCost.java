package org.abelian.advisor.explanation;

import org.abelian.advisor.workload.Tuples;
import org.abelian.advisor.workload.Workload;

/** What it costs to place each table by one column, or to replicate it. */
final class KeyCost {
  /** A table that is not placed yet, and does not count. */
  static final int OPEN = -1;

  /** A copy everywhere. */
  static final int REFERENCE = -2;

  private static final double READS = 0.5;
  private static final double COMMUTING = 0.25;
  private static final double APART = 1;
  private static final double EVERYWHERE = 1.5;

  /** Of each further place: who uses three is less often lucky than who uses two. */
  private static final double FURTHER = 0.05;

  /** Places of a transaction that are told apart. */
  private static final int MOST_PLACES = 8;

  /** So that a table is replicated only where that serves. */
  private static final double COPY = 0.001;

  private final Workload workload;
  private final Tuples tuples;
  private final int nodes;
  private final double[] shareOfTuples;
  private final double[] load;

  /** The places of the transaction that is looked at. */
  private final int[] used = new int[MOST_PLACES];

  /** Of each tuple by each column; looked up once, since it is asked for very often. */
  private final int[][] place;

  /**
   * A cost.
   *
   * @param places what counts as one place
   */
  KeyCost(Workload workload, int nodes, Places places) {
    this.workload = workload;
    this.nodes = nodes;
    tuples = workload.tuples();
    load = new double[places.count()];
    place = new int[tuples.size()][];
    for (int tuple = 0; tuple < place.length; tuple++) {
      place[tuple] = new int[tuples.tables().get(tuples.table(tuple)).attributes().size()];
      for (int column = 0; column < place[tuple].length; column++) {
        boolean known = tuples.value(tuple, column) != Tuples.UNKNOWN;
        place[tuple][column] = known ? places.of(tuple, column) : Tuples.UNKNOWN;
      }
    }
    shareOfTuples = new double[tuples.tables().size()];
    for (int tuple = 0; tuple < tuples.size(); tuple++) {
      shareOfTuples[tuples.table(tuple)] += 1.0 / tuples.size();
    }
  }

  /**
   * The mean cost of a transaction.
   *
   * @param choice for each table the place of a column, {@link #OPEN} or {@link #REFERENCE}
   */
  double of(int[] choice) {
    java.util.Arrays.fill(load, 0);
    double cost = 0;
    double all = 0;
    for (int transaction = 0; transaction < workload.size(); transaction++) {
      double weight = workload.weight(transaction);
      all += weight;
      cost += weight * ofTransaction(transaction, choice, weight);
    }
    cost /= all;
    for (int table = 0; table < choice.length; table++) {
      if (choice[table] == REFERENCE) {
        cost += COPY + 10 * COPY * shareOfTuples[table];
      }
    }
    return cost + skew();
  }

  private double ofTransaction(int transaction, int[] choice, double weight) {
    int count = 0;
    boolean everywhere = false;
    boolean writes = false;
    boolean hard = false;
    for (int access = workload.first(transaction);
        access < workload.first(transaction + 1);
        access++) {
      int tuple = workload.tuple(access);
      int column = choice[tuples.table(tuple)];
      if (column == OPEN) {
        continue;
      }
      boolean write = workload.writes(access);
      writes |= write;
      hard |= write && !workload.commutes(access);
      if (column == REFERENCE) {
        everywhere |= write;
        continue;
      }
      int here = place[tuple][column];
      if (here == Tuples.UNKNOWN || (workload.bound(access) >> column & 1) == 0) {
        everywhere = true;
        continue;
      }
      load[here] += weight;
      count = add(here, count);
    }
    if (count < 2 && !everywhere) {
      return 0;
    }
    double kind = !writes ? READS : hard ? APART : COMMUTING;
    return kind * (everywhere ? EVERYWHERE : 1 + FURTHER * (count - 2));
  }

  /** How many places there are with one more. */
  private int add(int place, int count) {
    for (int i = 0; i < count; i++) {
      if (used[i] == place) {
        return count;
      }
    }
    if (count == MOST_PLACES) {
      return count;
    }
    used[count] = place;
    return count + 1;
  }

  /** Load on few values cannot be spread: how far the values are from enough for all nodes. */
  private double skew() {
    double total = 0;
    double squares = 0;
    for (double accesses : load) {
      total += accesses;
      squares += accesses * accesses;
    }
    if (squares == 0) {
      return 0;
    }
    double values = total * total / squares;
    return values >= 0.9 * nodes ? 0 : (nodes - values) / nodes;
  }
}
