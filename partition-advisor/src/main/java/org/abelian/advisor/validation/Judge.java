package org.abelian.advisor.validation;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.Lookups;
import org.abelian.advisor.placement.PlacedTuples;
import org.abelian.advisor.workload.Tuples;
import org.abelian.advisor.workload.Workload;

/** Runs transactions through one placement, and counts. */
final class Judge {
  private final Workload workload;
  private final Tuples tuples;
  private final Candidate candidate;
  private final PlacedTuples placed;
  private final int nodes;
  private final double[] kinds = new double[TransactionKind.values().length];
  private final double[] ofClass;
  private final double[] distributedOfClass;
  private final double[] load;
  private final long[][] together;
  private final Map<String, Double> retypings = new TreeMap<>();
  private double all;
  private double misrouted;
  private double visits;

  /** For one candidate. */
  Judge(Workload workload, Candidate candidate, Lookups lookups, int nodes) {
    this.workload = workload;
    this.candidate = candidate;
    this.nodes = nodes;
    tuples = workload.tuples();
    placed = new PlacedTuples(tuples, candidate, lookups, nodes);
    ofClass = new double[workload.classes().size()];
    distributedOfClass = new double[ofClass.length];
    load = new double[nodes];
    together = new long[nodes][nodes];
  }

  /** Judges all transactions. */
  Judgement judge() {
    for (int transaction = 0; transaction < workload.size(); transaction++) {
      judge(transaction);
    }
    all = all == 0 ? 1 : all;
    Map<TransactionKind, Double> shares = new EnumMap<>(TransactionKind.class);
    for (TransactionKind kind : TransactionKind.values()) {
      shares.put(kind, kinds[kind.ordinal()] / all);
    }
    return new Judgement(
        candidate.name(),
        candidate.title(),
        candidate.kind(),
        candidate.loadable(tuples.tables()),
        shares,
        misrouted / all,
        visits / all,
        overMean(load),
        overMean(rows()),
        classes(),
        retypings.entrySet().stream()
            .map(entry -> new Judgement.Retyping(entry.getKey(), entry.getValue() / all))
            .sorted(Comparator.comparingDouble(Judgement.Retyping::saved).reversed())
            .limit(20)
            .toList(),
        together);
  }

  /** The nodes that a transaction must reach; empty when any will do. */
  BitSet needed(int transaction) {
    Visit visit = new Visit(0);
    for (int access = workload.first(transaction);
        access < workload.first(transaction + 1);
        access++) {
      visit.add(access);
    }
    return visit.visited;
  }

  private void judge(int transaction) {
    double weight = workload.weight(transaction);
    all += weight;
    Visit visit = new Visit(weight);
    int from = workload.first(transaction);
    int to = workload.first(transaction + 1);
    for (int access = from; access < to; access++) {
      visit.add(access);
    }
    visit.settle(from, to);
    TransactionKind kind = visit.kind(transaction, from, to);
    kinds[kind.ordinal()] += weight;
    ofClass[workload.classOf(transaction)] += weight;
    misrouted += visit.lost ? weight : 0;
    visits += weight * visit.visited.cardinality();
    if (kind != TransactionKind.SINGLE) {
      distributedOfClass[workload.classOf(transaction)] += weight;
      remember(visit);
    }
    if (kind.compareTo(TransactionKind.COMMUTING) > 0 && visit.retypings != null) {
      retypings.merge(String.join(", ", visit.retypings), weight, Double::sum);
    }
  }

  private void remember(Visit visit) {
    BitSet visited = visit.visited;
    for (int a = visited.nextSetBit(0); a >= 0; a = visited.nextSetBit(a + 1)) {
      for (int b = visited.nextSetBit(a + 1); b >= 0; b = visited.nextSetBit(b + 1)) {
        together[a][b]++;
      }
    }
  }

  private List<Judgement.OfClass> classes() {
    List<Judgement.OfClass> classes = new ArrayList<>();
    for (int i = 0; i < ofClass.length; i++) {
      classes.add(
          new Judgement.OfClass(
              workload.classes().get(i),
              ofClass[i] / all,
              ofClass[i] == 0 ? 0 : distributedOfClass[i] / ofClass[i]));
    }
    classes.sort(Comparator.comparingDouble(Judgement.OfClass::share).reversed());
    return classes;
  }

  /** Rows that the transactions touched, by node. What names only a part of a key is no row. */
  private double[] rows() {
    double[] rows = new double[nodes];
    for (int tuple = 0; tuple < tuples.size(); tuple++) {
      int partition = placed.partition(tuple);
      if (partition >= 0) {
        rows[partition]++;
      } else if (partition == PlacedTuples.EVERYWHERE) {
        for (int node = 0; node < nodes; node++) {
          rows[node]++;
        }
      }
    }
    return rows;
  }

  private static double overMean(double[] values) {
    double sum = 0;
    double max = 0;
    for (double value : values) {
      sum += value;
      max = Math.max(max, value);
    }
    return sum == 0 ? 1 : max * values.length / sum;
  }

  /** What one transaction visits. */
  private final class Visit {
    private final double weight;
    private final BitSet visited = new BitSet(nodes);
    private boolean lost;
    private boolean writes;
    private boolean hard;
    private boolean decidesApart;

    /** Types that would make all its hard writes commute; null when some cannot. */
    private TreeSet<String> retypings = new TreeSet<>();

    Visit(double weight) {
      this.weight = weight;
    }

    void add(int access) {
      int tuple = workload.tuple(access);
      int partition = placed.partition(tuple);
      boolean write = workload.writes(access);
      if (write) {
        writes = true;
        if (!workload.commutes(access)) {
          hard = true;
          addRetyping(workload.retyped(access));
        }
      }
      if (partition == PlacedTuples.EVERYWHERE) {
        if (write) {
          visited.set(0, nodes);
          everywhere();
        }
        return;
      }
      decidesApart |= workload.decides(access);
      if (partition == PlacedTuples.UNKNOWN || !placed.routable(tuple, workload.bound(access))) {
        lost = true;
        visited.set(0, nodes);
        everywhere();
        return;
      }
      visited.set(partition);
      load[partition] += weight;
    }

    private void addRetyping(String types) {
      if (types == null) {
        retypings = null;
      } else if (retypings != null) {
        retypings.add(types);
      }
    }

    private void everywhere() {
      for (int node = 0; node < nodes; node++) {
        load[node] += weight;
      }
    }

    /**
     * Reads of what is everywhere go where the transaction is anyway (the greedy hitting set, where
     * a tuple has one home or all); if it is nowhere, to any node.
     */
    void settle(int from, int to) {
      int home = visited.isEmpty() ? from % nodes : visited.nextSetBit(0);
      visited.set(home);
      for (int access = from; access < to; access++) {
        if (placed.partition(workload.tuple(access)) == PlacedTuples.EVERYWHERE
            && !workload.writes(access)) {
          load[home] += weight;
        }
      }
    }

    TransactionKind kind(int transaction, int from, int to) {
      if (visited.cardinality() == 1) {
        return TransactionKind.SINGLE;
      }
      if (!writes) {
        return TransactionKind.READS;
      }
      if (!hard) {
        return TransactionKind.COMMUTING;
      }
      return workload.oneShot(transaction) && !decidesApart && !needsAcross(from, to)
          ? TransactionKind.INDEPENDENT
          : TransactionKind.COORDINATED;
    }

    private boolean needsAcross(int from, int to) {
      for (int access = from; access < to; access++) {
        int[] earlier = workload.earlier(access);
        for (int other = from; earlier != null && other < to; other++) {
          if (contains(earlier, workload.step(other)) && apart(access, other)) {
            return true;
          }
        }
      }
      return false;
    }

    private boolean apart(int access, int other) {
      int needing = placed.partition(workload.tuple(access));
      int needed = placed.partition(workload.tuple(other));
      return needed != PlacedTuples.EVERYWHERE && needing != needed;
    }

    private static boolean contains(int[] steps, int step) {
      for (int one : steps) {
        if (one == step) {
          return true;
        }
      }
      return false;
    }
  }
}
